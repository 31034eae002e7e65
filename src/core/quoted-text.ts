/** About four plain characters to a token, and one for each other character. */
export function tokensOf(text: string): number {
  let tokens = 0;
  for (const character of text) tokens += character > "\u007f" ? 1 : 0.25;
  return tokens;
}

/** A shorter beginning tells nothing. */
const LEAST_TOKENS = 8;

/** The beginning of a text within a number of tokens; nothing where that would tell nothing. */
export function cut(text: string, tokens: number): string {
  if (tokens < LEAST_TOKENS) return "";
  let left = tokens;
  let end = 0;
  for (const character of text) {
    left -= tokensOf(character);
    if (left < 0) break;
    end += character.length;
  }
  return text.slice(0, end).trimEnd();
}

/** Each line marked, so that what is quoted cannot be taken for what is said around it. */
export function quote(text: string): string {
  const lines = plain(text).trim().split("\n");
  return lines.map((line, at) => `> ${at === 0 ? "- " : "  "}${line.trimEnd()}`).join("\n");
}

export function oneLine(text: string): string {
  return plain(text).replaceAll("\n", " ").trim();
}

/** Without characters that steer a terminal, hide text or turn its direction. */
function plain(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029]/g, "\n")
    .replaceAll("\t", "  ")
    .replace(
      /[^\P{Cc}\n]|[\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e007f}]/gu,
      "",
    );
}
