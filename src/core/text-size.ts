const encoder = new TextEncoder();

export function textBytes(text: string): number {
  return encoder.encode(text).length;
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
