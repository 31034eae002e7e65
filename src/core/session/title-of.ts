import { LIMITS } from "../../contract/limits.ts";
import { cutText } from "../text-size.ts";

/** The title of a session until it gets a name: the first line of its first message. */
export function titleOf(message: string): string {
  return cutText(message.trim().split("\n", 1)[0] ?? "", LIMITS.FIRST_TITLE);
}
