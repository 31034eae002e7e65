/** A body, a head or the data of a patch as a store keeps it: JSON as text, or bytes as they are. */
export type Content = string | Uint8Array;

/** Bytes are copied, so that nobody who handed them in can alter them. */
export function toContent(value: unknown): Content {
  return value instanceof Uint8Array ? value.slice() : (JSON.stringify(value) ?? "null");
}

export function bytesIn(content: Content): number {
  return typeof content === "string" ? Buffer.byteLength(content) : content.length;
}
