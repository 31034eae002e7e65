import { lexer, type MarkedToken, type Token } from "marked";

interface Block {
  /** Its offset in the text, which stays the same while the text grows. */
  readonly at: number;
  readonly token: MarkedToken;
}

export interface Blocks {
  readonly text: string;
  readonly list: readonly Block[];
}

/** A longer line was not written for people, and would slow down the parser. */
const LONGEST_LINE = 5000;

/** The blocks of a text. If the text has grown, only the last block is parsed again, because only it can change. */
export function growBlocks(before: Blocks | null, raw: string): Blocks {
  const text = raw.replaceAll(/\r\n?/g, "\n");
  if (before?.text === text) return before;
  const last = before?.list.findLast(({ token }) => token.type !== "space");
  const goesOn = before !== null && last !== undefined && text.startsWith(before.text);
  const from = goesOn ? last.at : 0;
  const kept = goesOn ? before.list.filter(({ at }) => at < from) : [];
  return { text, list: [...kept, ...readBlocks(text.slice(from), from)] };
}

function readBlocks(text: string, from: number): Block[] {
  if (hasLongLine(text)) return [literal(text, from)];
  try {
    let at = from;
    return lexer(text, { gfm: true, breaks: true }).map((token) => {
      const block = { at, token: isKnown(token) ? token : literal(token.raw, at).token };
      at += token.raw.length;
      return block;
    });
  } catch {
    // Nesting that is too deep for the parser is shown as plain text.
    return [literal(text, from)];
  }
}

function literal(text: string, at: number): Block {
  return { at, token: { type: "html", raw: text, text, pre: false, block: true } };
}

function hasLongLine(text: string): boolean {
  let from = 0;
  while (text.length - from > LONGEST_LINE) {
    const end = text.indexOf("\n", from);
    if (end === -1 || end - from > LONGEST_LINE) return true;
    from = end + 1;
  }
  return false;
}

const KNOWN = {
  blockquote: 1,
  br: 1,
  checkbox: 1,
  code: 1,
  codespan: 1,
  def: 1,
  del: 1,
  em: 1,
  escape: 1,
  heading: 1,
  hr: 1,
  html: 1,
  image: 1,
  link: 1,
  list: 1,
  list_item: 1,
  paragraph: 1,
  space: 1,
  strong: 1,
  table: 1,
  text: 1,
} as const satisfies Record<MarkedToken["type"], 1>;

export function isKnown(token: Token): token is MarkedToken {
  return Object.hasOwn(KNOWN, token.type);
}

/** Only links to pages and mailboxes; null for every other link. */
export function safeLink(href: string): string | null {
  const url = URL.canParse(href) ? new URL(href) : null;
  return url && ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : null;
}

/** The path of a link to a file, such as `src/x.ts:12`; null for everything else. */
export function filePath(href: string): string | null {
  const path = decodePath(href.replace(/^file:\/\//, "")).replace(/#L(\d+)(?:-L?\d+)?$/, ":$1");
  return PATH.test(path) ? path : null;
}

/** A folder or a file with an extension, optionally with line and column. */
const PATH =
  /^(?=[^:]*[./\\])(?:[A-Za-z]:[\\/])?[^\s:*?"<>|()#&%][^:*?"<>|()#\n\r\t]*(?::\d+){0,2}$/;

/** A path with a line number inside a text. */
export const PATH_IN_TEXT = /((?:[\w@.~-]*\/)*[\w@.-]+\.[A-Za-z]\w{0,9}:\d+(?::\d+)?)/;

function decodePath(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The code of the block that starts at an offset. */
export function codeAt(text: string, at: number): string | null {
  const token = growBlocks(null, text).list.find((block) => block.at === at)?.token;
  return token?.type === "code" ? token.text : null;
}

const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  hellip: "…",
  ndash: "–",
  mdash: "—",
  copy: "©",
};

/** Decodes the character references in a text. */
export function decodeText(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi, (whole, ...found) => {
    const [decimal, hex, name] = found.map((each) => (each === undefined ? null : String(each)));
    if (name) return NAMED[name] ?? whole;
    const code = decimal ? Number(decimal) : Number.parseInt(hex ?? "", 16);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : whole;
  });
}
