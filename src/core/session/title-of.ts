import { cutText } from "../text-size.ts";

const TITLE_BYTES = 80;

/** A session is called by what it was begun with, until someone gives it a name. */
export function titleOf(message: string): string {
  return cutText(message.trim().split("\n", 1)[0] ?? "", TITLE_BYTES);
}
