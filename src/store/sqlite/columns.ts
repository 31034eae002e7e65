import type { SQLOutputValue } from "node:sqlite";
import { damaged } from "./storage-error.ts";

/** A row as the database hands it over: a flipped bit can change even the type of a value. */
export type Row = Readonly<Record<string, SQLOutputValue>>;

export function textIn(row: Row, column: string, stream: string | null): string {
  const value = row[column];
  if (typeof value === "string") return value;
  throw unreadable(column, stream);
}

export function textOrNullIn(row: Row, column: string, stream: string | null): string | null {
  return row[column] === null ? null : textIn(row, column, stream);
}

export function integerIn(row: Row, column: string, stream: string | null): number {
  const value = row[column];
  if (typeof value === "number") return value;
  throw unreadable(column, stream);
}

export function integerOrNullIn(row: Row, column: string, stream: string | null): number | null {
  return row[column] === null ? null : integerIn(row, column, stream);
}

/** Bytes, in hex. */
export function hexIn(row: Row, column: string, stream: string | null): string {
  const value = row[column];
  if (value instanceof Uint8Array) return toHex(value);
  throw unreadable(column, stream);
}

/** What `packHex` made of a text. */
export function unpackedIn(row: Row, column: string, stream: string | null): string | null {
  const value = row[column];
  return value instanceof Uint8Array ? toHex(value) : textOrNullIn(row, column, stream);
}

/** Ids and digests are hex as a rule, and take half the room as bytes. */
export function packHex(text: string | null): Uint8Array | string | null {
  return text !== null && HEX.test(text) ? fromHex(text) : text;
}

export function fromHex(hex: string): Uint8Array {
  return Buffer.from(hex, "hex");
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

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}

function unreadable(column: string, stream: string | null): Error {
  return damaged(stream, `its ${column} cannot be read`);
}
