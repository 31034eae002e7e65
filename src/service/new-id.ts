import { randomBytes } from "node:crypto";

/** A UUIDv7, which sorts by its time. */
export function newId(): string {
  const now = Date.now();
  if (now !== written.now) {
    const time = now.toString(16).padStart(12, "0");
    written = { now, text: `${time.slice(0, 8)}-${time.slice(8)}-7` };
  }
  const random = nextRandom();
  const variant = VARIANTS[Number.parseInt(random.slice(3, 4), 16) & 3];
  return `${written.text}${random.slice(0, 3)}-${variant}${random.slice(4, 7)}-${random.slice(7)}`;
}

/** Many ids are created in one millisecond, so its text is cached. */
let written = { now: -1, text: "" };

/** The two bits that say how to read a UUID, and two random bits. */
const VARIANTS = "89ab";

/** Random hex digits for one id. They are made for many ids at once, which takes a fraction of the time. */
function nextRandom(): string {
  if (used >= digits.length) {
    digits = randomBytes(DIGITS * 64).toString("hex");
    used = 0;
  }
  used += DIGITS;
  return digits.slice(used - DIGITS, used);
}

const DIGITS = 19;
let digits = "";
let used = 0;

/** `agent-YYYYMMDD-HHMMSS-<8 hex>`, with the last part from the random end of an id. */
export function newSessionId(now: number, id: string): string {
  const [day = "", time = ""] = new Date(now).toISOString().split("T");
  return `agent-${day.replaceAll("-", "")}-${time.slice(0, 8).replaceAll(":", "")}-${id.slice(-8)}`;
}
