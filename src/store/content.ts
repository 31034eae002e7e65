/** A body, head or patch in stored form: JSON text, or bytes unchanged. */
export type Content = string | Uint8Array;

/** A content that is written when it is first stored: of the heads in one commit, only the last one is. */
export abstract class LateContent {
  abstract readonly bytes: Uint8Array;
}

/** Bytes are copied, so that the caller cannot change them later. */
export function toContent(value: unknown): Content {
  if (value instanceof LateContent) return value.bytes;
  return value instanceof Uint8Array ? value.slice() : (JSON.stringify(value) ?? "null");
}

export function bytesIn(content: Content): number {
  return typeof content === "string" ? Buffer.byteLength(content) : content.length;
}
