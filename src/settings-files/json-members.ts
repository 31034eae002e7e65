import type { JsonNode, JsonObject, Member } from "./jsonc.ts";
import { NotJson, scanJsonc } from "./jsonc.ts";

/** The settings as an object. */
export function rootOf(text: string): JsonObject {
  const root = scanJsonc(text);
  if (root.kind === "object") return root;
  throw new NotJson("it is not an object");
}

/** The object with that name; null if there is none. */
export function objectIn(object: JsonObject, key: string): JsonObject | null {
  const value = valueIn(object, key);
  if (value === undefined) return null;
  if (value.kind === "object") return value;
  throw new NotJson(`"${key}" is not an object`);
}

export function valueIn(object: JsonObject, key: string): JsonNode | undefined {
  return object.children[lastIndex(object, key)]?.value;
}

/** The last of several members with one name counts, as in JSON.parse. */
export function lastIndex(object: JsonObject, key: string): number {
  return object.children.findLastIndex((member: Member) => member.key === key);
}

export function replaceNode(text: string, { start, end }: JsonNode, value: string): string {
  return text.slice(0, start) + value + text.slice(end);
}
