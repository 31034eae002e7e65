import { randomUUID } from "node:crypto";

/** A UUIDv7: sorts by the time it was made. Its random bits come from a v4, of which Node makes many at once. */
export function newId(): string {
  const time = Date.now().toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

/** `agent-YYYYMMDD-HHMMSS-<8 hex>`, the last part from the random end of an id. */
export function newSessionId(now: number, id: string): string {
  const [day = "", time = ""] = new Date(now).toISOString().split("T");
  return `agent-${day.replaceAll("-", "")}-${time.slice(0, 8).replaceAll(":", "")}-${id.slice(-8)}`;
}
