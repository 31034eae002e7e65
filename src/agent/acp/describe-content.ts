import { fieldsOf, numberOf, textOf } from "./read-fields.ts";

/** A content block as text: texts unchanged, everything else as a short note. Null if it is not a block. */
export function describeContent(block: unknown): string | null {
  const { type, text, data, mimeType, uri, size, resource } = fieldsOf(block);
  if (type === "text") return textOf(text);
  if (type === "image" || type === "audio") {
    return note(type, [textOf(mimeType), sizeOfBase64(textOf(data) ?? "")]);
  }
  if (type === "resource_link") {
    const bytes = numberOf(size);
    return note("link", [textOf(uri), bytes === null ? null : kilobytes(bytes)]);
  }
  if (type === "resource") {
    const inner = fieldsOf(resource);
    const held = textOf(inner.text);
    const bytes = held === null ? sizeOfBase64(textOf(inner.blob) ?? "") : kilobytes(held.length);
    return note("resource", [textOf(inner.uri), bytes]);
  }
  return typeof type === "string" ? note(type, []) : null;
}

function note(kind: string, details: readonly (string | null)[]): string {
  const said = details.filter((detail) => detail !== null && detail !== "");
  return said.length === 0 ? `[${kind}]` : `[${kind} ${said.join(", ")}]`;
}

function sizeOfBase64(data: string): string {
  return kilobytes(Math.floor((data.length * 3) / 4));
}

function kilobytes(bytes: number): string {
  return bytes < 1024 ? `${bytes} bytes` : `${Math.round(bytes / 1024)} KB`;
}
