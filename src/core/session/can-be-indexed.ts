import { LIMITS } from "../../contract/limits.ts";
import { jsonBytes } from "../text-size.ts";

/** Whether a store can find something by this text: not too long, whole characters, no NUL. */
export function canBeIndexed(text: string): boolean {
  return jsonBytes(text) - 2 <= LIMITS.INDEXED && text.isWellFormed() && !text.includes("\0");
}
