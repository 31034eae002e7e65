/** Bytes of a text in UTF-8. Nothing is encoded to count them: large texts would be in memory twice. */
export function textBytes(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x80) continue;
    // Each half of a pair is one unit long and two bytes; a half alone becomes U+FFFD, which has three.
    if (code < 0x800 || isPaired(text, at, code)) bytes += 1;
    else bytes += 2;
  }
  return bytes;
}

function isPaired(text: string, at: number, code: number): boolean {
  if (code < 0xd800 || code > 0xdfff) return false;
  const other = code < 0xdc00 ? text.charCodeAt(at + 1) : text.charCodeAt(at - 1);
  return code < 0xdc00 ? other >= 0xdc00 && other <= 0xdfff : other >= 0xd800 && other < 0xdc00;
}

/** Bytes of a value as JSON; what JSON cannot say counts as nothing. */
export function jsonBytes(value: unknown): number {
  return textBytes(JSON.stringify(value) ?? "");
}

/** The longest beginning of a text whose JSON form has at most `bytes`, never splitting a character. */
export function cutText(text: string, bytes: number): string {
  if (jsonBytes(text) - 2 <= bytes) return text;
  let kept = "";
  let size = 0;
  for (const character of text) {
    size += jsonBytes(character) - 2;
    if (size > bytes - 3) break;
    kept += character;
  }
  return `${kept}…`;
}
