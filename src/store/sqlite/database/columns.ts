import type { SQLOutputValue } from "node:sqlite";
import type { Content } from "../../content.ts";
import { damaged } from "./storage-error.ts";

/** A row as the database returns it. A flipped bit can even change the type of a value. */
export type Row = Readonly<Record<string, SQLOutputValue>>;

/** The same without column names. */
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

/** SQL for bytes as hex, which is faster than converting here. */
export function hexOf(column: string): string {
  return `lower(hex(${column}))`;
}

/** SQL for the text that `packHex` packed. */
export function unpackedHexOf(column: string): string {
  return `iif(typeof(${column}) = 'blob', ${hexOf(column)}, ${column})`;
}

/** Ids and digests are mostly hex, and take half the space as bytes. */
export function packHex(text: string | null): Uint8Array | string | null {
  return text !== null && HEX.test(text) ? fromHex(text) : text;
}

export function fromHex(hex: string): Uint8Array {
  return Buffer.from(hex, "hex");
}

/** SQL for a content from either of its two columns. */
export function contentOf(column: string): string {
  return `ifnull(bytes, ${column})`;
}

/** The values of the two columns of a content. */
export function toColumns(content: Content): readonly [text: string, bytes: Uint8Array | null] {
  return typeof content === "string" ? [content, null] : ["", content];
}

export function readContent(value: Value, column: string, stream: string | null): Content {
  return value instanceof Uint8Array ? value : toText(value, column, stream);
}

/** A content that nobody else reads. */
export function parseContent(content: Content, stream: string | null, column: string): unknown {
  return typeof content === "string" ? parseJson(content, stream, column) : content;
}

/** A content that is read again. Bytes are copied, so that one reader cannot change what others see. */
export function parseKept(content: Content, stream: string | null, column: string): unknown {
  return typeof content === "string" ? parseJson(content, stream, column) : copyOf(content);
}

/** Memory of a pool, because its own memory takes longer to get and to collect than these bytes to copy. */
function copyOf(bytes: Uint8Array): Uint8Array {
  const { buffer, byteOffset, length } = Buffer.from(bytes);
  return new Uint8Array(buffer, byteOffset, length);
}

/**
 * Parses JSON that the store wrote. The row's checksum was verified, so this only fails if the
 * writer was wrong.
 */
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
