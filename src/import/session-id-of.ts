import { hash } from "node:crypto";
import { isSessionId } from "../contract/id-pattern.ts";

/** The id of the session of a conversation; hooks and imports of one conversation meet in it. */
export function sessionIdOf(id: string): string {
  return isSessionId(id) ? id : `import-${hash("sha256", id).slice(0, 32)}`;
}
