import { LIMITS } from "../../contract/limits.ts";
import { jsonBytes } from "../text-size.ts";

/** True if a store can index this text: short enough, well-formed, without NUL. */
export function canBeIndexed(text: string): boolean {
  return jsonBytes(text) - 2 <= LIMITS.INDEXED && text.isWellFormed() && !text.includes("\0");
}
