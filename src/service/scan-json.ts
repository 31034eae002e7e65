interface JsonFault {
  readonly message: string;
  readonly position: number;
  /** Set if the text is well-formed so far and only too large. */
  readonly isTooLarge?: true;
}

export const MAX_JSON_DEPTH = 64;
/**
 * The limit for keys and values of one text together: parsing many small ones costs far more than their bytes suggest.
 */
export const MAX_JSON_VALUES = 50_000;

const [QUOTE, COMMA, MINUS, POINT, COLON, BACKSLASH] = [34, 44, 45, 46, 58, 92];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];

type Expected =
  | "value"
  | "value or end"
  | "key"
  | "key or end"
  | "colon"
  | "comma or end"
  | "nothing";

/**
 * Finds the first problem of a JSON text; null if there is none. It is one pass without recursion, so neither length
 * nor depth of the input costs more than reading it.
 */
export function scanJson(text: string): JsonFault | null {
  /** The surrounding containers: an object's keys so far, null for a list. */
  const around: (Keys | null)[] = [];
  let inside: Keys | null = null;
  let expected: Expected = "value";
  let at = 0;
  let values = 0;

  for (;;) {
    const code = text.charCodeAt(at);
    if (code === 32 || code === 10 || code === 13 || code === 9) {
      at += 1;
      continue;
    }
    if (at >= text.length) {
      return expected === "nothing" ? null : fault("the JSON ends too early", at);
    }
    if (isEnd(code, expected, inside)) {
      around.pop();
      inside = around.at(-1) ?? null;
      expected = around.length === 0 ? "nothing" : "comma or end";
      at += 1;
      continue;
    }

    switch (expected) {
      case "value":
      case "value or end": {
        values += 1;
        if (values > MAX_JSON_VALUES) return tooMany(at);
        if (code === OPEN_OBJECT || code === OPEN_LIST) {
          if (around.length >= MAX_JSON_DEPTH) return fault(TOO_DEEP, at);
          inside = code === OPEN_OBJECT ? new Keys() : null;
          around.push(inside);
          expected = inside ? "key or end" : "value or end";
          at += 1;
          break;
        }
        const end = valueEnd(text, at, code);
        if (end < 0) return explain(text, at, code);
        expected = around.length === 0 ? "nothing" : "comma or end";
        at = end;
        break;
      }
      case "key":
      case "key or end": {
        if (code !== QUOTE) return fault("a key is missing", at);
        values += 1;
        if (values > MAX_JSON_VALUES) return tooMany(at);
        const end = stringEnd(text, at);
        if (end < 0) return explain(text, at, code);
        const key = readKey(text, at, end);
        if (key === "__proto__") return fault('a key cannot be "__proto__"', at);
        if (!inside?.add(key)) return fault("a key appears twice in one object", at);
        expected = "colon";
        at = end;
        break;
      }
      case "colon":
        if (code !== COLON) return fault("a colon is missing", at);
        expected = "value";
        at += 1;
        break;
      case "comma or end":
        if (code !== COMMA) return fault("a comma is missing", at);
        expected = inside ? "key" : "value";
        at += 1;
        break;
      case "nothing":
        return fault("there is text after the end of the JSON", at);
    }
  }
}

const TOO_DEEP = `the JSON is nested more than ${MAX_JSON_DEPTH} deep`;

/** True if the surrounding container ends here. */
function isEnd(code: number, expected: Expected, inside: Keys | null): boolean {
  if (code === CLOSE_OBJECT) {
    return expected === "key or end" || (expected === "comma or end" && inside !== null);
  }
  if (code !== CLOSE_LIST) return false;
  return expected === "value or end" || (expected === "comma or end" && inside === null);
}

function tooMany(position: number): JsonFault {
  const message = `the JSON has more than ${MAX_JSON_VALUES} keys and values`;
  return { message, position, isTooLarge: true };
}

function fault(message: string, position: number): JsonFault {
  return { message, position };
}

/** The position after the value that starts here; -1 if there is none. */
function valueEnd(text: string, at: number, code: number): number {
  if (code === QUOTE) return stringEnd(text, at);
  if (code === MINUS || isDigit(code)) return numberEnd(text, at);
  const word = WORDS.find((each) => text.startsWith(each, at));
  return word === undefined ? -1 : at + word.length;
}

const WORDS = ["true", "false", "null"];

function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code < 32) return -1;
    if (code !== BACKSLASH) continue;
    const length = escapeLength(text, at);
    if (length === 0) return -1;
    at += length - 1;
  }
  return -1;
}

/** Written by hand, because a regular expression would remember every digit of a very long number. */
function numberEnd(text: string, start: number): number {
  const first = text.charCodeAt(start) === MINUS ? start + 1 : start;
  let at = digitsEnd(text, first);
  if (at === first || (text.charCodeAt(first) === 48 && at > first + 1)) return -1;
  if (text.charCodeAt(at) === POINT) {
    const fraction = digitsEnd(text, at + 1);
    if (fraction === at + 1) return -1;
    at = fraction;
  }
  const mark = text.charCodeAt(at);
  if (mark === 69 || mark === 101) {
    const sign = text.charCodeAt(at + 1);
    const from = sign === 43 || sign === MINUS ? at + 2 : at + 1;
    at = digitsEnd(text, from);
    if (at === from) return -1;
  }
  // A number with so few characters is never too large.
  return at - start < 5 || Number.isFinite(Number(text.slice(start, at))) ? at : -1;
}

function digitsEnd(text: string, start: number): number {
  let at = start;
  while (isDigit(text.charCodeAt(at))) at += 1;
  return at;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** The length of the escape at this place; 0 if it is none. */
function escapeLength(text: string, at: number): number {
  const code = text.charCodeAt(at + 1);
  if (code !== 117) return ESCAPED.has(code) ? 2 : 0;
  for (let digit = at + 2; digit < at + 6; digit += 1) {
    if (!isHexDigit(text.charCodeAt(digit))) return 0;
  }
  return 6;
}

/** The characters that may follow a backslash, except "u". */
const ESCAPED = new Set(Array.from('"\\/bfnrt', (letter) => letter.charCodeAt(0)));

function isHexDigit(code: number): boolean {
  return isDigit(code) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102);
}

function readKey(text: string, start: number, end: number): string {
  const written = text.slice(start + 1, end - 1);
  return written.includes("\\") ? String(JSON.parse(`"${written}"`)) : written;
}

/** Explains why there is no value here. The text is scanned again only in this case. */
function explain(text: string, start: number, code: number): JsonFault {
  if (code === MINUS || isDigit(code)) {
    return { message: "this is not a valid JSON number", position: start };
  }
  if (code !== QUOTE) return { message: "a value is missing", position: start };
  for (let at = start + 1; at < text.length; at += 1) {
    const each = text.charCodeAt(at);
    if (each < 32) return { message: "a string contains a control character", position: at };
    if (each !== BACKSLASH) continue;
    const length = escapeLength(text, at);
    if (length === 0) return { message: "invalid escape sequence", position: at };
    at += length - 1;
  }
  return { message: "the JSON ends too early", position: text.length };
}

/** The keys of an object. Most objects have few, and a set for each would cost more than all the rest. */
class Keys {
  readonly #few: string[] = [];
  #many: Set<string> | null = null;

  /** False if the key already exists. */
  add(key: string): boolean {
    if (this.#many) {
      const { size } = this.#many;
      return this.#many.add(key).size > size;
    }
    if (this.#few.includes(key)) return false;
    if (this.#few.push(key) > FEW) this.#many = new Set(this.#few);
    return true;
  }
}

const FEW = 8;
