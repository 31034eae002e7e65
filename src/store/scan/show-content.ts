import type { Content } from "../content.ts";

/** A fresh value, as a database would return it. */
export function showContent(content: Content): unknown {
  if (typeof content !== "string") return Uint8Array.from(content);
  return JSON.parse(content, (_key, member) => Object.freeze(member));
}
