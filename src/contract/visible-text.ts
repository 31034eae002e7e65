/**
 * Makes text from others safe to show on a terminal, on a page and in Markdown. It omits nothing
 * and executes nothing: an invisible character is shown by its number, as ⟦U+202E⟧, and a gap that
 * would push text out of sight by its length, as [… 4,100 spaces …].
 */
export function visibleText(text: string): string {
  return collapseBlankLines(collapseRuns(visibleCharacters(text.replaceAll("\r\n", "\n"))));
}

/** The same on one line: each line break is shown as ↵. */
export function visibleLine(text: string): string {
  return visibleText(text)
    .trim()
    .replace(/[^\S\n]*\n\s*/g, " ↵ ")
    .replaceAll("\t", " ");
}

/**
 * Only replaces invisible characters and keeps gaps, for text in columns. Line breaks and tabs
 * stay.
 */
export function visibleCharacters(text: string): string {
  if (isPlain(text)) return text;
  hidden ??= findHidden();
  if (!hidden.any.test(text)) return text;
  return text.replace(hidden.orKept, (found, kept: string | undefined) =>
    kept === undefined ? codePoint(found) : found,
  );
}

/**
 * True for text with only visible Latin characters, spaces and line breaks, which is most text.
 * This test is many times cheaper.
 */
export function isPlain(text: string): boolean {
  return !NOT_PLAIN.test(text);
}

/** One line that stays plain text inside Markdown and its tables: no link, image, code or HTML. */
export function markdownText(text: string): string {
  return visibleLine(text).replace(/[\\`*[\]<>|&]/g, "\\$&");
}

/** JSON with every invisible character escaped: the same data, safe on a terminal. */
export function visibleJson(value: unknown): string {
  return escapeHidden(JSON.stringify(value));
}

/** The same for a text that is already JSON. */
export function escapeHidden(json: string): string {
  if (isPlain(json)) return json;
  hidden ??= findHidden();
  return json.replace(hidden.all, (found) =>
    found
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

/** The start and end of a text longer than `most` characters, with a mark for the missing part. */
export function shortenText(text: string, most: number): string {
  if (text.length <= most) return text;
  const markOf = (hidden: number) => ` … ${count(hidden, "character")} hidden … `;
  const room = Math.max(2, most - markOf(text.length).length);
  const start = text.slice(0, Math.ceil(room / 2)).replace(/[\ud800-\udbff]$/, "");
  const end = text.slice(text.length - Math.floor(room / 2)).replace(/^[\udc00-\udfff]/, "");
  return start + markOf(text.length - start.length - end.length) + end;
}

/** The same by lines: the first and the last of more than `most` lines. */
export function shortenLines(text: string, most: number): string {
  const lines = text.split("\n");
  if (lines.length <= most) return text;
  const end = Math.floor(most / 2);
  const hidden = lines.length - most;
  return [
    ...lines.slice(0, most - end),
    `… ${count(hidden, "line")} hidden …`,
    ...lines.slice(-end),
  ].join("\n");
}

/**
 * Makes a text visible that comes in pieces, and shows no part twice. The end of a piece may belong
 * to the next one, so spaces and half characters wait, and a whole emoji may still grow.
 */
export function createVisibleStream(): (piece: string) => string {
  let held = "";
  let shown = "";
  return (piece) => {
    const text = held + piece;
    let end = text.length;
    while (end > 0 && UNFINISHED.test(text.charAt(end - 1))) end -= 1;
    held = text.slice(end);
    const fresh = text.slice(0, end);
    const before = visibleText(shown);
    const whole = visibleText(shown + fresh);
    shown = (shown + fresh).slice(-LONGEST_EMOJI);
    return whole.startsWith(before) ? whole.slice(before.length) : visibleText(fresh);
  };
}

/** Longer gaps push the text after them out of sight. */
const MOST_BLANKS = 40;
const MOST_BLANK_LINES = 5;
/** More combining marks than this on one character cover the text around it. */
const MOST_MARKS = 8;
/** In UTF-16 units. */
const LONGEST_EMOJI = 32;
/** Spaces, joiners, and first halves of characters. */
const UNFINISHED = /\s|\u200c|\u200d|\ufe0f|[\ud800-\udbff]/;

const NOT_PLAIN = /[^\n\t\x20-\x7e\xa1-\xac\xae-\xff]/;
/** Built on first use: compiling them takes milliseconds, and most text is plain. */
let hidden: HiddenCharacters | undefined;

interface HiddenCharacters {
  readonly any: RegExp;
  readonly all: RegExp;
  /**
   * The first group matches characters that stay although they have invisible parts: whole emoji,
   * and spelling.
   */
  readonly orKept: RegExp;
}

function findHidden(): HiddenCharacters {
  // Control and format characters, characters without width or shape, halves of characters, and
  // line separators.
  const any = /[[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]--[\n\t]]/v;
  const kept = `${EMOJI}(?:\\u200d${EMOJI})*|[0-9#*]\\ufe0f\\u20e3|(?<=${JOINING})[\\u200c\\u200d](?=${JOINING})`;
  return {
    any,
    all: new RegExp(any.source, "gv"),
    orKept: new RegExp(`(${kept})|${any.source}`, "gv"),
  };
}

/** Between letters of these scripts a joiner is part of the spelling. */
const JOINING =
  "[[\\p{L}\\p{M}]&&[\\p{scx=Arab}\\p{scx=Syrc}\\p{scx=Mong}\\p{scx=Deva}\\p{scx=Beng}\\p{scx=Guru}\\p{scx=Gujr}\\p{scx=Orya}\\p{scx=Taml}\\p{scx=Telu}\\p{scx=Knda}\\p{scx=Mlym}\\p{scx=Sinh}\\p{scx=Khmr}]]";
const EMOJI = "\\p{Extended_Pictographic}[\\ufe0f\\p{Emoji_Modifier}]?";

function codePoint(character: string): string {
  const number = character.codePointAt(0) ?? 0;
  return `⟦U+${number.toString(16).toUpperCase().padStart(4, "0")}⟧`;
}

let runs: { readonly blanks: RegExp; readonly marks: RegExp } | undefined;

function collapseRuns(text: string): string {
  runs ??= {
    blanks: new RegExp(`[\\p{Zs}\\t]{${MOST_BLANKS + 1},}`, "gu"),
    marks: new RegExp(`(\\p{M}{${MOST_MARKS}})(\\p{M}+)`, "gu"),
  };
  return text
    .replace(
      runs.blanks,
      (run) => `[… ${count(run.length, /^ +$/.test(run) ? "space" : "blank")} …]`,
    )
    .replace(
      runs.marks,
      (_, kept: string, rest: string) => `${kept}[… ${count([...rest].length, "mark")} …]`,
    );
}

function collapseBlankLines(text: string): string {
  const lines = text.split("\n");
  const kept: string[] = [];
  let blanks: string[] = [];
  for (const line of lines) {
    if (line.trim() === "") {
      blanks.push(line);
      continue;
    }
    kept.push(...gapOf(blanks), line);
    blanks = [];
  }
  return [...kept, ...gapOf(blanks)].join("\n");
}

function gapOf(blanks: readonly string[]): readonly string[] {
  return blanks.length <= MOST_BLANK_LINES
    ? blanks
    : [`[… ${count(blanks.length, "blank line")} …]`];
}

function count(amount: number, what: string): string {
  return `${amount.toLocaleString("en-US")} ${what}${amount === 1 ? "" : "s"}`;
}
