import type { IncomingMessage } from "node:http";

/** How often a request has this header; `name` is in lower case. Node's own list of headers by name is built for all of them. */
export function countHeader({ rawHeaders }: IncomingMessage, name: string): number {
  let found = 0;
  for (let n = 0; n < rawHeaders.length; n += 2) {
    const given = rawHeaders[n] ?? "";
    if (given.length === name.length && given.toLowerCase() === name) found += 1;
  }
  return found;
}
