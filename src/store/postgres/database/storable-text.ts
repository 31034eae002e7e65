import type { StreamRef } from "../../stream-store.ts";

/** PostgreSQL stores no NUL, and the driver would change half characters, so nothing is stored under such a text. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}

export function isStorableRef(ref: StreamRef): boolean {
  return "id" in ref ? isStorable(ref.id) : isStorable(ref.owner) && isStorable(ref.key);
}
