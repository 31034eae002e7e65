import type { SQLOutputValue } from "node:sqlite";
import type { Content } from "../../content.ts";
import { damaged } from "./storage-error.ts";

/** A row as the database hands it over: a flipped bit can change even the type of a value. */
export type Row = Readonly<Record<string, SQLOutputValue>>;

/** The same without the names of the columns. */
export type Values = readonly SQLOutputValue[];

type Value = SQLOutputValue | undefined;

export function toText(value: Value, column: string, stream: string | null): string {
  if (typeof value === "string") return value;
  throw unreadable(column, stream);
}

export function toTextOrNull(value: Value, column: string, stream: string | null): string | null {
  return value === null ? null : toText(value, column, stream);
}

export function toInteger(value: Value, column: string, stream: string | null): number {
  if (typeof value === "number") return value;
  throw unreadable(column, stream);
}

export function toIntegerOrNull(
  value: Value,
  column: string,
  stream: string | null,
): number | null {
  return value === null ? null : toInteger(value, column, stream);
}

export function toFlag(value: Value, column: string, stream: string | null): 0 | 1 {
  if (value === 0 || value === 1) return value;
  throw unreadable(column, stream);
}

export function textIn(row: Row, column: string, stream: string | null): string {
  return toText(row[column], column, stream);
}

export function integerIn(row: Row, column: string, stream: string | null): number {
  return toInteger(row[column], column, stream);
}

export function integerOrNullIn(row: Row, column: string, stream: string | null): number | null {
  return toIntegerOrNull(row[column], column, stream);
}

/** In SQL: bytes as hex, which is made faster there than here. */
export function hexOf(column: string): string {
  return `lower(hex(${column}))`;
}

/** In SQL: what `packHex` made of a text, as that text. */
export function unpackedHexOf(column: string): string {
  return `iif(typeof(${column}) = 'blob', ${hexOf(column)}, ${column})`;
}

/** Ids and digests are hex as a rule, and take half the room as bytes. */
export function packHex(text: string | null): Uint8Array | string | null {
  return text !== null && HEX.test(text) ? fromHex(text) : text;
}

export function fromHex(hex: string): Uint8Array {
  return Buffer.from(hex, "hex");
}

/** In SQL: a content, from whichever of its two columns it is in. */
export function contentOf(column: string): string {
  return `ifnull(bytes, ${column})`;
}

/** The two columns of a content. */
export function toColumns(content: Content): readonly [text: string, bytes: Uint8Array | null] {
  return typeof content === "string" ? [content, null] : ["", content];
}

export function readContent(value: Value, column: string, stream: string | null): Content {
  return value instanceof Uint8Array ? value : toText(value, column, stream);
}

/** Bytes as they are; copies, so that nobody who was shown them can alter what others see. */
export function parseContent(content: Content, stream: string | null, column: string): unknown {
  return typeof content === "string" ? parseJson(content, stream, column) : content.slice();
}

/** JSON that the store wrote itself: its row's sum has been checked, so this cannot fail unless the writer was wrong. */
export function parseJson(text: string, stream: string | null, column: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable(column, stream);
  }
}

const HEX = /^(?:[0-9a-f]{2})+$/;

function unreadable(column: string, stream: string | null): Error {
  return damaged(stream, `its ${column} cannot be read`);
}
