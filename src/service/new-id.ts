import { randomBytes } from "node:crypto";

/** A UUIDv7: sorts by the time it was made. */
export function newId(): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(Date.now(), 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  return [8, 12, 16, 20, 32].map((end, at) => hex.slice([0, 8, 12, 16, 20][at], end)).join("-");
}

/** `agent-YYYYMMDD-HHMMSS-<8 hex>`, the last part from the random end of an id. */
export function newSessionId(now: number, id: string): string {
  const [day = "", time = ""] = new Date(now).toISOString().split("T");
  return `agent-${day.replaceAll("-", "")}-${time.slice(0, 8).replaceAll(":", "")}-${id.slice(-8)}`;
}
