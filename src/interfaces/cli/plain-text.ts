/**
 * What an agent says, without anything that a terminal would obey: no escape sequence, no control character but line
 * break and tab, nothing that turns the direction of writing. Sequences and characters may be split between two pieces.
 */
export function createPlainText(): (piece: string) => string {
  let place: Place = "text";
  let swallowed = 0;
  let half = "";

  return (piece) => {
    const text = half + piece;
    half = /[\ud800-\udbff]$/.exec(text)?.[0] ?? "";
    let plain = "";
    for (const character of text.slice(0, text.length - half.length)) {
      const code = character.codePointAt(0) ?? 0;
      const before = place;
      place = READ[place](code);
      swallowed = place === "string" ? swallowed + 1 : 0;
      // A sequence that never ends must not swallow all that follows.
      if (swallowed > LONGEST_STRING) place = "text";
      const isText = before === "text" && place === "text";
      if (code === LINE_BREAK || (isText && isShown(code))) plain += character;
    }
    return plain.toWellFormed();
  };
}

export function plainText(text: string): string {
  return createPlainText()(text);
}

/** The same on one line. */
export function plainLine(text: string): string {
  return plainText(text).replace(/\s+/g, " ").trim();
}

/** Cut so that it takes no more than so many columns. */
export function cutLine(line: string, columns: number): string {
  const characters = [...line];
  const widths = characters.map(widthOf);
  if (widths.reduce((sum, width) => sum + width, 0) <= columns) return line;
  let [width, end] = [0, 0];
  while (width + (widths[end] ?? 0) < columns && end < widths.length) {
    width += widths[end] ?? 0;
    end += 1;
  }
  return `${characters.slice(0, end).join("")}…`;
}

/** What may be wide counts as wide: a line that is too short does no harm, one that wraps does. */
function widthOf(character: string): number {
  if (/\p{Mn}|\u200d|\ufe0f/u.test(character)) return 0;
  if (/\p{Emoji_Presentation}/u.test(character)) return 2;
  return /[\u1100-\u115f\u2e80-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uffe6]/.test(character) ||
    character.length > 1
    ? 2
    : 1;
}

/** Inside of what the characters that come now are: text, or a sequence of one of four kinds. */
type Place = "text" | "escape" | "parameters" | "string" | "string end";

const LONGEST_STRING = 256;
const TAB = 0x09;
const LINE_BREAK = 0x0a;
const BELL = 0x07;
const ESCAPE = 0x1b;
const BACKSLASH = 0x5c;
/** `ESC [` in one character; and those that begin a string, as `ESC ]` does, and end it. */
const PARAMETERS = 0x9b;
const STRINGS: ReadonlySet<number> = new Set([0x90, 0x98, 0x9d, 0x9e, 0x9f]);
const STRING_END = 0x9c;
const AFTER_ESCAPE: Readonly<Record<string, Place>> = {
  "[": "parameters",
  "]": "string",
  P: "string",
  X: "string",
  "^": "string",
  _: "string",
};

const READ: Readonly<Record<Place, (code: number) => Place>> = {
  text: begin,
  escape(code) {
    if (code >= 0x20 && code <= 0x2f) return "escape";
    return AFTER_ESCAPE[String.fromCodePoint(code)] ?? (code === ESCAPE ? "escape" : "text");
  },
  parameters: (code) => (code >= 0x20 && code <= 0x3f ? "parameters" : begin(code)),
  string(code) {
    if (code === ESCAPE) return "string end";
    return code === BELL || code === STRING_END || code === LINE_BREAK ? "text" : "string";
  },
  "string end": (code) => (code === BACKSLASH ? "text" : READ.escape(code)),
};

function begin(code: number): Place {
  if (code === ESCAPE) return "escape";
  if (code === PARAMETERS) return "parameters";
  return STRINGS.has(code) ? "string" : "text";
}

function isShown(code: number): boolean {
  if (code === TAB) return true;
  return !/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(String.fromCodePoint(code));
}
