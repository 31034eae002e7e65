import { hash } from "node:crypto";

/* A line of JSON that ends with a checksum of itself. */

/** The text is an object that has at least one member. */
export function sealLine(object: string): string {
  return `${object.slice(0, -1)},"sum":"${sumOf(object)}"}`;
}

/** The checksum of a sealed line starts with the same digits. */
export function hashObject(object: string): string {
  return hash("sha256", object, "hex");
}

/** The text of the object; null if the line was altered or is not complete. */
export function openLine(line: string): string | null {
  const object = `${line.slice(0, -TAIL)}}`;
  return line === sealLine(object) ? object : null;
}

function sumOf(text: string): string {
  return hashObject(text).slice(0, SUM);
}

/** The end of a line whose object has this hash. */
export function sealOf(hash: string): string {
  return `,"sum":"${hash.slice(0, SUM)}"}`;
}

const SUM = 16;

const TAIL = `,"sum":"0123456789abcdef"}`.length;
