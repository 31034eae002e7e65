import type { ChangedStreams } from "../../stream-watchers.ts";

interface ChangeNotice {
  /** The node that sent it. */
  readonly from: string;
  /** Null if the notice had no room for them. */
  readonly changed: ChangedStreams | null;
}

export function writeNotice(from: string, changed: ChangedStreams): string {
  const notice = JSON.stringify([from, ...changed]);
  return Buffer.byteLength(notice) <= MOST_BYTES ? notice : JSON.stringify([from]);
}

/** Null for a notice of another form, such as the empty one of older versions. */
export function readNotice(payload = ""): ChangeNotice | null {
  const [from, ...changed] = parseList(payload);
  if (typeof from !== "string") return null;
  const known = changed.filter(isChange);
  const isWhole = known.length === changed.length && known.length > 0;
  return { from, changed: isWhole ? known : null };
}

/** Anyone with access to the database may send notices. */
function parseList(text: string): unknown[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

function isChange(value: unknown): value is readonly [string, number] {
  return Array.isArray(value) && typeof value[0] === "string" && typeof value[1] === "number";
}

/** PostgreSQL refuses 8,000 bytes and more. */
const MOST_BYTES = 7900;
