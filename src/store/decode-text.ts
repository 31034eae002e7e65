/** Node makes a text of about a million characters or more from a buffer outside of the heap of young objects. */
const PIECE = 512 * 1024;

/**
 * The text of UTF-8 bytes. It is decoded in pieces, because only a full collection frees a large text that Node decodes
 * in one: 60 contents of 1 MB that are read one after another would stay in memory together.
 */
export function decodeText(bytes: Buffer, start = 0): string {
  let text = "";
  for (let from = start; from < bytes.length; ) {
    const end = endOfCharacter(bytes, from + PIECE);
    text += bytes.toString("utf8", from, end);
    from = end;
  }
  return text;
}

/** Moves a cut that is inside a character to the end of that character. */
function endOfCharacter(bytes: Buffer, cut: number): number {
  let end = Math.min(cut, bytes.length);
  while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end += 1;
  return end;
}
