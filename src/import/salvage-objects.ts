import { parseRecord } from "../contract/is-record.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The objects of a line, and its problem; `why` is null for one complete object. */
interface Salvaged {
  readonly objects: readonly Fields[];
  readonly why: string | null;
}

/** Extracts every complete object from a line that a crash may have cut, joined with the next, or filled with NUL. */
export function salvageObjects(line: string): Salvaged {
  const text = line.replace(/^\ufeff/, "").trim();
  if (text === "") return { objects: [], why: null };
  const whole = parseRecord(text);
  if (whole) return { objects: [whole], why: null };
  if (text.includes("\0")) {
    const { objects } = salvageObjects(text.replaceAll("\0", ""));
    return { objects, why: "filled with NUL" };
  }
  const objects = findObjects(text);
  return { objects, why: objects.length > 1 ? "records run together" : "not a complete record" };
}

const MOST_TRIES = 1000;
/** The most characters that are searched in one line, so that a damaged line does not cost more. */
const MOST_WORK = 64 * 1024 * 1024;

function findObjects(text: string): Fields[] {
  const found: Fields[] = [];
  let after = 0;
  let at = text.indexOf("{");
  let work = 0;
  for (let tries = 0; at >= 0 && tries < MOST_TRIES && work < MOST_WORK; tries += 1) {
    const end = endOfObject(text, at);
    work += (end > 0 ? end : text.length) - at;
    const object = end > 0 && !isNested(text, at, after) ? parseRecord(text.slice(at, end)) : null;
    if (object) {
      found.push(object);
      after = end;
    }
    at = text.indexOf("{", object ? end : at + 1);
  }
  return found;
}

/** An object inside an incomplete record is a part of it and does not count by itself. */
function isNested(text: string, at: number, after: number): boolean {
  return at > after && /[:,[]\s*$/.test(text.slice(after, at).slice(-16));
}

/** The offset after the brace that closes the one at `at`; 0 if there is none. */
function endOfObject(text: string, at: number): number {
  let depth = 0;
  let quoted = false;
  for (let place = at; place < text.length; place += 1) {
    const sign = text[place];
    if (quoted) {
      if (sign === "\\") place += 1;
      else if (sign === '"') quoted = false;
    } else if (sign === '"') quoted = true;
    else if (sign === "{") depth += 1;
    else if (sign === "}") {
      depth -= 1;
      if (depth === 0) return place + 1;
    }
  }
  return 0;
}
