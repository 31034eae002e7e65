import type { Content } from "../../content.ts";
import { damaged } from "./postgres-error.ts";

/** A content from either of its two columns. */
export function contentOf(text: string | null, bytes: Uint8Array | null): Content {
  return bytes ?? text ?? "null";
}

/** Bytes are copied, so that one reader cannot change what others see. */
export function parseContent(content: Content, stream: string | null): unknown {
  if (typeof content !== "string") return new Uint8Array(content);
  try {
    return JSON.parse(content);
  } catch {
    throw damaged(stream, "a content cannot be read");
  }
}
