import { cutText } from "../text-size.ts";

const TITLE_BYTES = 80;

/** The title of a session until it gets a name: the first line of its first message. */
export function titleOf(message: string): string {
  return cutText(message.trim().split("\n", 1)[0] ?? "", TITLE_BYTES);
}
