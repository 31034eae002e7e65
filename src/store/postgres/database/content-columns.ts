import type { Content } from "../../content.ts";
import { damaged } from "./postgres-error.ts";

/** A content, from whichever of its two columns it is in. */
export function contentOf(text: string | null, bytes: Uint8Array | null): Content {
  return bytes ?? text ?? "null";
}

/** Bytes as they are; copies, so that nobody who was shown them can alter what others see. */
export function parseContent(content: Content, stream: string | null): unknown {
  if (typeof content !== "string") return new Uint8Array(content);
  try {
    return JSON.parse(content);
  } catch {
    throw damaged(stream, "a content cannot be read");
  }
}

/** A content as a parameter, and whether it is bytes. */
export function toParameter(content: Content): readonly [text: string, is_bytes: boolean] {
  if (typeof content === "string") return [content, false];
  return [Buffer.from(content.buffer, content.byteOffset, content.length).toString("hex"), true];
}
