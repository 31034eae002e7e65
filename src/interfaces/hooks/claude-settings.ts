import { addChild, type Layout, layoutOf, removeChild } from "./edit-json.ts";
import {
  type JsonArray,
  type JsonNode,
  type JsonObject,
  type Member,
  NotJson,
  scanJsonc,
} from "./jsonc.ts";

/** The events of Claude Code that Belay listens to. */
const LISTENS_TO = [
  { event: "SessionStart" },
  { event: "UserPromptSubmit" },
  { event: "PreToolUse", matcher: "Agent|Task" },
  { event: "SubagentStart" },
  { event: "SubagentStop" },
  { event: "PreCompact" },
  { event: "Stop" },
  { event: "SessionEnd" },
] as const satisfies readonly { event: string; matcher?: string }[];

/** Seconds. A hook answers within one; this is for a machine that stands still. */
const TIMEOUT = 10;

/** Settings with Belay's hooks in them, each once. Everything else keeps its place and its form. */
export function addHooks(settings: string | null, command: string): string {
  if (settings === null) return `${JSON.stringify({ hooks: allGroups(command) }, null, 2)}\n`;
  let text = settings;
  for (const { event, ...rest } of LISTENS_TO) text = addGroup(text, event, group(command, rest));
  return text;

  function addGroup(current: string, event: string, wanted: object): string {
    const root = rootOf(current);
    const layout = layoutOf(current, root);
    const hooks = hooksIn(root);
    if (!hooks) return addChild(current, root, "hooks", allGroups(command), layout);
    const groups = groupsIn(hooks, event);
    if (!groups) return addChild(current, hooks, event, [wanted], layout);
    const [ours] = ourHooks(groups, command);
    if (!ours) return addChild(current, groups, null, wanted, layout);
    return replace(current, ours.command, JSON.stringify(command));
  }
}

/** Settings without Belay's hooks; null where nothing else was in them. */
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

/** Also those that another Node, or Belay in another place, has installed. */
const OURS = /belay[^/\\]*["']? hook claude-code$/;

function shellQuote(path: string): string {
  return `"${path.replace(/[\\"$`]/g, "\\$&")}"`;
}

function group(command: string, rest: { readonly matcher?: string }) {
  return { ...rest, hooks: [{ type: "command", command, timeout: TIMEOUT }] };
}

function allGroups(command: string) {
  return Object.fromEntries(
    LISTENS_TO.map(({ event, ...rest }) => [event, [group(command, rest)]]),
  );
}

type Place = readonly { readonly container: JsonObject | JsonArray; readonly index: number }[];

/** The first hook of ours, from the inside out: what goes is as much of it as holds nothing else. */
function findOurs(root: JsonObject, command: string): Place | null {
  const hooksAt = lastIndex(root, "hooks");
  const hooks = hooksIn(root);
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

function removeAt(text: string, place: Place, layout: Layout): string | null {
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
  readonly command: JsonNode;
}

function ourHooks(groups: JsonArray, ours: string): OurHook[] {
  return groups.children.flatMap((entry, group) => {
    const list = entry.kind === "object" ? valueIn(entry, "hooks") : undefined;
    if (list?.kind !== "array") return [];
    return list.children.flatMap((hook, index): OurHook[] => {
      const command = hook.kind === "object" ? valueIn(hook, "command") : undefined;
      if (command?.kind !== "string") return [];
      const isOurs = command.value === ours || OURS.test(command.value);
      return isOurs ? [{ group, list, index, command }] : [];
    });
  });
}

function rootOf(text: string): JsonObject {
  const root = scanJsonc(text);
  if (root.kind === "object") return root;
  throw new NotJson("it is not an object");
}

function hooksIn(root: JsonObject): JsonObject | null {
  const hooks = valueIn(root, "hooks");
  if (hooks === undefined) return null;
  if (hooks.kind === "object") return hooks;
  throw new NotJson('"hooks" is not an object');
}

function groupsIn(hooks: JsonObject, event: string): JsonArray | null {
  const groups = valueIn(hooks, event);
  if (groups === undefined) return null;
  if (groups.kind === "array") return groups;
  throw new NotJson(`"hooks.${event}" is not a list`);
}

/** Of several members of one name the last counts, as in JSON.parse. */
function lastIndex(object: JsonObject, key: string): number {
  return object.children.findLastIndex((member: Member) => member.key === key);
}

function valueIn(object: JsonObject, key: string): JsonNode | undefined {
  return object.children[lastIndex(object, key)]?.value;
}

function replace(text: string, { start, end }: JsonNode, value: string): string {
  return text.slice(0, start) + value + text.slice(end);
}
