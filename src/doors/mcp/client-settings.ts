import { addChild, layoutOf, removeChild } from "../../settings-files/edit-json.ts";
import {
  lastIndex,
  objectIn,
  replaceNode,
  rootOf,
  valueIn,
} from "../../settings-files/json-members.ts";
import type { JsonNode, JsonObject } from "../../settings-files/jsonc.ts";
import { NotJson } from "../../settings-files/jsonc.ts";

/** The command with which a client starts Belay. */
interface ServerEntry {
  readonly command: string;
  readonly args: readonly string[];
}

const SERVERS = "mcpServers";
const NAME = "belay";

/** A client's settings with Belay added to its MCP servers. Everything else keeps its place and format. */
export function addServer(settings: string | null, entry: ServerEntry): string {
  const wanted = { [NAME]: entry };
  if (settings === null) return `${JSON.stringify({ [SERVERS]: wanted }, null, 2)}\n`;
  const root = rootOf(settings);
  const layout = layoutOf(settings, root);
  const servers = objectIn(root, SERVERS);
  if (!servers) return addChild(settings, root, SERVERS, wanted, layout);
  const present = valueIn(servers, NAME);
  if (!present) return addChild(settings, servers, NAME, entry, layout);
  if (!isOurs(settings, present, entry)) {
    throw new NotJson(`"${SERVERS}.${NAME}" belongs to another program; rename or remove it first`);
  }
  return Object.entries(entry).reduce((text, [key, value]) => setField(text, key, value), settings);
}

/** The settings without Belay; null if nothing else was in them. */
export function removeServer(settings: string, entry: ServerEntry): string | null {
  const root = rootOf(settings);
  const servers = objectIn(root, SERVERS);
  const present = servers ? valueIn(servers, NAME) : undefined;
  if (!servers || !present || !isOurs(settings, present, entry)) return settings;
  const layout = layoutOf(settings, root);
  const left = removeChild(settings, servers, lastIndex(servers, NAME), layout);
  return left ?? removeChild(settings, root, lastIndex(root, SERVERS), layout);
}

/** Also matches an entry of another Node, or of Belay in another place. */
function isOurs(text: string, node: JsonNode, { args: ours }: ServerEntry): node is JsonObject {
  const args = node.kind === "object" ? valueIn(node, "args") : undefined;
  if (args?.kind !== "array") return false;
  const [script, verb, more] = args.children;
  if (script?.kind !== "string" || verb === undefined || more !== undefined) return false;
  const named = script.value === ours[0] || /belay[^/\\]*$/.test(script.value);
  return named && textOf(text, verb) === '"mcp"';
}

/** Edits the existing entry, so that a person's additions, such as an environment, stay. */
function setField(text: string, key: string, value: unknown): string {
  const root = rootOf(text);
  const servers = objectIn(root, SERVERS);
  const ours = servers && objectIn(servers, NAME);
  if (!ours) return text;
  const node = valueIn(ours, key);
  if (!node) return addChild(text, ours, key, value, layoutOf(text, root));
  return isSame(textOf(text, node), value) ? text : replaceNode(text, node, JSON.stringify(value));
}

function isSame(written: string, value: unknown): boolean {
  try {
    return JSON.stringify(JSON.parse(written)) === JSON.stringify(value);
  } catch {
    // A comment is inside, so the entry is replaced.
    return false;
  }
}

function textOf(text: string, { start, end }: JsonNode): string {
  return text.slice(start, end);
}
