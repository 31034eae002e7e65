import { hash } from "node:crypto";
import { isRecord, parseRecord } from "../contract/is-record.ts";
import { Pace } from "./pace.ts";
import type { Fields } from "./record-file.ts";

/** The shape of a tool's documents, by the keys of their objects. */
export interface DocumentShape {
  /** The keys of a conversation. */
  readonly whole: readonly string[];
  /** The keys of a record in it, such as a message. */
  readonly part: readonly string[];
  /** The key of the conversation that contains its records. */
  readonly list: string;
  /** Builds a conversation from the remaining parts; `name` replaces a lost id. */
  rebuild(header: Fields, parts: readonly Fields[], name: string): Fields;
}

interface Salvaged {
  readonly record: Fields;
  /** Offsets in characters; `end` is exclusive. */
  readonly start: number;
  readonly end: number;
  /** True if a part of it is lost. */
  readonly isDamaged: boolean;
}

/** Finds every intact conversation in a damaged text, and rebuilds others from their remaining records. */
export async function salvageDocument(text: string, shape: DocumentShape): Promise<Salvaged[]> {
  const found = await findObjects(text, shape);
  const salvaged: Salvaged[] = [];
  let group: Found[] = [];
  let [from, headEnd] = [0, 0];
  const finish = (next: number): void => {
    const [first, last] = [group[0], group.at(-1)];
    if (!first || !last) return;
    const cut = text.indexOf("{", last.end);
    const tail = text.slice(last.end, cut < 0 || cut > next ? next : cut);
    const header = { ...scalarsIn(tail), ...scalarsIn(text.slice(from, headEnd)) };
    const parts = group.map(({ record }) => record);
    const name = `salvaged-${hash("sha256", JSON.stringify(first.record)).slice(0, 24)}`;
    const record = shape.rebuild(header, parts, name);
    salvaged.push({ record, start: first.start, end: last.end, isDamaged: true });
    group = [];
  };
  let before = 0;
  for (const object of found) {
    const list = text.slice(before, object.start).lastIndexOf(`"${shape.list}"`);
    if (object.isWhole || list >= 0) finish(object.start);
    if (object.isWhole) {
      salvaged.push({ ...object, isDamaged: false });
    } else {
      if (group.length === 0) {
        const opening = text.indexOf("{", before);
        headEnd = list >= 0 ? before + list : object.start;
        from = Math.min(opening < 0 ? before : opening, headEnd);
      }
      group.push(object);
    }
    before = object.end;
  }
  finish(text.length);
  return salvaged;
}

interface Found {
  readonly record: Fields;
  readonly start: number;
  readonly end: number;
  readonly isWhole: boolean;
}

const [QUOTE, BACKSLASH, OPEN, CLOSE, SPACE] = [34, 92, 123, 125, 32];

/** The outermost objects of the shape, in order. A lost or extra brace or quote only affects its own object. */
async function findObjects(text: string, shape: DocumentShape): Promise<Found[]> {
  const pace = new Pace();
  const open: number[] = [];
  const found: Found[] = [];
  let [isQuoted, quote] = [false, 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      if (!isQuoted) [isQuoted, quote] = [startsText(text, at), at];
      else if (endsText(text, at)) isQuoted = false;
      // JSON strings contain no bare quote, so the previous one did not start a string.
      else [at, isQuoted] = [quote, false];
    } else if (isQuoted) {
      if (code === BACKSLASH) at += 1;
      else if (code < SPACE) isQuoted = false;
    } else if (code === OPEN) open.push(at);
    else if (code === CLOSE) {
      const start = open.pop();
      if (start === undefined) continue;
      const object = objectAt(text, start, at + 1, shape);
      if (!object) continue;
      // A record that lost its end may have swallowed others, which are intact.
      if (object.isWhole) while ((found.at(-1)?.start ?? -1) > start) found.pop();
      found.push(object);
      if (pace.isDue) await pace.rest();
    }
  }
  return found.sort((a, b) => a.start - b.start);
}

function endsText(text: string, at: number): boolean {
  return /^\s*[,:\]}]|^\s*$/.test(text.slice(at + 1, at + 64));
}

function startsText(text: string, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && text.charCodeAt(before) <= SPACE) before -= 1;
  return before < 0 || ",:[{".includes(text[before] ?? "");
}

function objectAt(text: string, start: number, end: number, shape: DocumentShape): Found | null {
  const source = text.slice(start, end);
  const has = (keys: readonly string[]) => keys.every((key) => source.includes(`"${key}"`));
  if (!has(shape.whole) && !has(shape.part)) return null;
  const record = parseRecord(source);
  if (!record) return null;
  const isWhole = isConversation(record, shape);
  return isWhole || hasKeys(record, shape.part) ? { record, start, end, isWhole } : null;
}

function isConversation(record: Fields, shape: DocumentShape): boolean {
  return hasKeys(record, shape.whole) && !hasStrayParts(record, shape);
}

/** True if lost braces still give valid JSON: a part is alone, or where none belongs. */
export function isTornApart(record: Fields, shape: DocumentShape): boolean {
  return (
    hasStrayParts(record, shape) || (hasKeys(record, shape.part) && !hasKeys(record, shape.whole))
  );
}

function hasStrayParts(record: Fields, { part }: DocumentShape): boolean {
  return Object.values(record).some((value) => isRecord(value) && hasKeys(value, part));
}

function hasKeys(record: Fields, keys: readonly string[]): boolean {
  return keys.every((key) => Object.hasOwn(record, key));
}

/** Texts and numbers of the conversation itself, besides its records. The first of each name counts. */
function scalarsIn(text: string): Fields {
  const fields = new Map<string, unknown>();
  for (const [, key = "", value = ""] of text.matchAll(SCALAR)) {
    if (fields.has(key)) continue;
    try {
      fields.set(key, JSON.parse(value));
    } catch {
      // This part is damaged too.
    }
  }
  return Object.fromEntries(fields);
}

const SCALAR = /"(\w{1,64})"\s*:\s*("(?:[^"\\]|\\.){0,2000}"|-?\d{1,20}(?:\.\d{1,20})?)/g;
