import { hash } from "node:crypto";
import { isSessionId } from "../contract/id-pattern.ts";

/** The session id of a conversation; hooks and imports of one conversation share it. */
export function sessionIdOf(id: string): string {
  return isSessionId(id) ? id : `import-${hash("sha256", id).slice(0, 32)}`;
}
