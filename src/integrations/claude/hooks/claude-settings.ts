import type { Layout } from "../../../settings-files/edit-json.ts";
import { addChild, layoutOf, removeChild } from "../../../settings-files/edit-json.ts";
import {
  lastIndex,
  objectIn,
  replaceNode,
  rootOf,
  valueIn,
} from "../../../settings-files/json-members.ts";
import type { JsonArray, JsonNode, JsonObject } from "../../../settings-files/jsonc.ts";
import { NotJson } from "../../../settings-files/jsonc.ts";

/** The events of Claude Code that Belay listens to. */
const LISTENS_TO = [
  // Claude Code supports no URL for this one: https://code.claude.com/docs/en/hooks
  { event: "SessionStart", only: "command" },
  { event: "UserPromptSubmit" },
  { event: "PreToolUse", matcher: "Agent|Task" },
  { event: "SubagentStart" },
  { event: "SubagentStop" },
  { event: "PreCompact" },
  { event: "Stop" },
  { event: "SessionEnd" },
] as const satisfies readonly Listening[];

interface Listening {
  readonly event: string;
  readonly matcher?: string;
  readonly only?: "command";
}

/** The target of the hooks: a process for each event or, with a url, a running server. */
interface HookTarget {
  readonly command: string;
  readonly url: string | null;
}

/** In seconds. A hook answers within one; this is for an overloaded machine. */
const TIMEOUT = 10;

/** The settings with Belay's hooks added once. Everything else keeps its place and format. */
export function addHooks(
  settings: string | null,
  command: string,
  url: string | null = null,
): string {
  const target = { command, url };
  if (settings === null) return `${JSON.stringify({ hooks: allGroups(target) }, null, 2)}\n`;
  return LISTENS_TO.reduce((text, listening) => addGroup(text, listening, target), settings);
}

function addGroup(text: string, listening: Listening, target: HookTarget): string {
  const root = rootOf(text);
  const layout = layoutOf(text, root);
  const hooks = objectIn(root, "hooks");
  if (!hooks) return addChild(text, root, "hooks", allGroups(target), layout);
  const wanted = group(listening, target);
  const groups = groupsIn(hooks, listening.event);
  if (!groups) return addChild(text, hooks, listening.event, [wanted], layout);
  const [ours] = ourHooks(groups, target.command);
  if (!ours) return addChild(text, groups, null, wanted, layout);
  const [hook] = wanted.hooks;
  const [kind, place] =
    "url" in hook ? (["url", hook.url] as const) : (["command", hook.command] as const);
  if (ours.kind === kind) return replaceNode(text, ours.place, JSON.stringify(place));
  return replaceNode(text, ours.hook, renderAt(text, ours.hook.start, hook, layout));
}

/** The settings without Belay's hooks, of either kind; null if nothing else was in them. */
export function removeHooks(settings: string, command: string): string | null {
  let text = settings;
  for (;;) {
    const root = rootOf(text);
    const place = findOurs(root, command);
    if (!place) return text;
    const next = removeAt(text, place, layoutOf(text, root));
    if (next === null) return null;
    text = next;
  }
}

/** `"<node>" "<entry>" hook claude-code`, for a shell. */
export function hookCommand(node: string, entry: string): string {
  return `${shellQuote(node)} ${shellQuote(entry)} hook claude-code`;
}

/** The URL at which a server accepts hooks. */
export function hookUrl(server: string): string {
  return `${server}${HOOK_PATH}`;
}

const HOOK_PATH = "/hooks/claude-code";

/** Also matches hooks of another Node, or of Belay in another place or at another address. */
const OUR_COMMAND = /belay[^/\\]*["']? hook claude-code$/;

function shellQuote(path: string): string {
  return `"${path.replace(/[\\"$`]/g, "\\$&")}"`;
}

function group({ matcher, only }: Listening, { command, url }: HookTarget) {
  const hook =
    url === null || only === "command"
      ? ({ type: "command", command, timeout: TIMEOUT } as const)
      : ({
          type: "http",
          url,
          headers: HEADERS,
          allowedEnvVars: [TOKEN],
          timeout: TIMEOUT,
        } as const);
  return { ...(matcher === undefined ? {} : { matcher }), hooks: [hook] as const };
}

/** Settings are shared and committed, so the token is never in them: Claude Code reads it from its environment. */
const TOKEN = "BELAY_TOKEN";
const HEADERS = { Authorization: `Bearer $${TOKEN}` } as const;

function allGroups(target: HookTarget) {
  return Object.fromEntries(
    LISTENS_TO.map((listening: Listening) => [listening.event, [group(listening, target)]]),
  );
}

type HookPath = readonly { readonly container: JsonObject | JsonArray; readonly index: number }[];

/** Our first hook, from the inside out: the largest part that contains nothing else is removed. */
function findOurs(root: JsonObject, command: string): HookPath | null {
  const hooksAt = lastIndex(root, "hooks");
  const hooks = objectIn(root, "hooks");
  if (!hooks) return null;
  for (const [eventAt, { value: groups }] of hooks.children.entries()) {
    if (groups.kind !== "array") continue;
    const [ours] = ourHooks(groups, command);
    if (!ours) continue;
    if (ours.list.children.length > 1) return [{ container: ours.list, index: ours.index }];
    return [
      { container: groups, index: ours.group },
      { container: hooks, index: eventAt },
      { container: root, index: hooksAt },
    ];
  }
  return null;
}

function removeAt(text: string, place: HookPath, layout: Layout): string | null {
  for (const { container, index } of place) {
    const left = removeChild(text, container, index, layout);
    if (left !== null) return left;
  }
  return null;
}

interface OurHook {
  readonly group: number;
  readonly list: JsonArray;
  readonly index: number;
  readonly hook: JsonNode;
  readonly kind: "command" | "url";
  /** The value with the command or URL. */
  readonly place: JsonNode;
}

function ourHooks(groups: JsonArray, command: string): OurHook[] {
  return groups.children.flatMap((entry, group) => {
    const list = entry.kind === "object" ? valueIn(entry, "hooks") : undefined;
    if (list?.kind !== "array") return [];
    return list.children.flatMap((hook, index): OurHook[] => {
      if (hook.kind !== "object") return [];
      const found = ourPlace(hook, command);
      return found ? [{ group, list, index, hook, ...found }] : [];
    });
  });
}

/** The part that calls Belay, if there is one. */
function ourPlace(hook: JsonObject, ours: string): Pick<OurHook, "kind" | "place"> | null {
  const command = valueIn(hook, "command");
  if (command?.kind === "string") {
    const isOurs = command.value === ours || OUR_COMMAND.test(command.value);
    return isOurs ? { kind: "command", place: command } : null;
  }
  const [url, headers] = [valueIn(hook, "url"), valueIn(hook, "headers")];
  if (url?.kind !== "string" || headers?.kind !== "object") return null;
  const proof = valueIn(headers, "Authorization");
  // Other hooks may have the same path.
  const isOurs = proof?.kind === "string" && proof.value === HEADERS.Authorization;
  return isOurs && url.value.endsWith(HOOK_PATH) ? { kind: "url", place: url } : null;
}

/** The value formatted with the indentation of the line it starts in, or on one line. */
function renderAt(text: string, at: number, value: object, { newline, unit }: Layout): string {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  if (line.trim() !== "") return JSON.stringify(value);
  return JSON.stringify(value, null, unit).split("\n").join(`${newline}${line}`);
}

function groupsIn(hooks: JsonObject, event: string): JsonArray | null {
  const groups = valueIn(hooks, event);
  if (groups === undefined) return null;
  if (groups.kind === "array") return groups;
  throw new NotJson(`"hooks.${event}" is not a list`);
}
