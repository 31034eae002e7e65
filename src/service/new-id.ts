import { randomUUID } from "node:crypto";

/** A UUIDv7, which sorts by its time. The random bits come from a v4, which Node generates in batches. */
export function newId(): string {
  const now = Date.now();
  if (now !== written.now) {
    const time = now.toString(16).padStart(12, "0");
    written = { now, text: `${time.slice(0, 8)}-${time.slice(8)}-7` };
  }
  return written.text + randomUUID().slice(15);
}

/** Many ids are created in one millisecond, so its text is cached. */
let written = { now: -1, text: "" };

/** `agent-YYYYMMDD-HHMMSS-<8 hex>`, with the last part from the random end of an id. */
export function newSessionId(now: number, id: string): string {
  const [day = "", time = ""] = new Date(now).toISOString().split("T");
  return `agent-${day.replaceAll("-", "")}-${time.slice(0, 8).replaceAll(":", "")}-${id.slice(-8)}`;
}
