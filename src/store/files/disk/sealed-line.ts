import { hash } from "node:crypto";

/* A line of JSON that ends with a checksum of itself. */

/** The text is an object that has at least one member. */
export function sealLine(object: string): string {
  return `${object.slice(0, -1)},"sum":"${sumOf(object)}"}`;
}

/** The text of the object; null if the line was altered or is not complete. */
export function openLine(line: string): string | null {
  const object = `${line.slice(0, -TAIL)}}`;
  return line === sealLine(object) ? object : null;
}

function sumOf(text: string): string {
  return hash("sha256", text, "hex").slice(0, 16);
}

const TAIL = `,"sum":"0123456789abcdef"}`.length;
