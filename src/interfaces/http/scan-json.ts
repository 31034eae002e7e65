export interface JsonFault {
  readonly message: string;
  readonly position: number;
}

const MAX_DEPTH = 64;

/**
 * What is wrong with a JSON text; null: nothing. One pass over the characters that never calls itself, so that neither
 * length nor depth of what someone sends costs more than reading it.
 */
export function scanJson(text: string): JsonFault | null {
  return new Scan(text).run();
}

const QUOTE = 34;
const BACKSLASH = 92;
const [COMMA, COLON, MINUS] = [44, 58, 45];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];
const WORDS = ["true", "false", "null"];

type Expected =
  | "value"
  | "value or end"
  | "key"
  | "key or end"
  | "colon"
  | "comma or end"
  | "nothing";

/** Each step moves on, or notes the fault and answers false. */
class Scan {
  readonly #text: string;
  #at = 0;
  #expected: Expected = "value";
  #fault: JsonFault | null = null;
  /** The containers around: an object's keys so far, null for a list. */
  readonly #around: (Set<string> | null)[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  run(): JsonFault | null {
    let code = this.#skipSpace();
    while (!Number.isNaN(code) && this.#step(code)) code = this.#skipSpace();
    if (!this.#fault && this.#expected !== "nothing") this.#fail("the JSON ends too early");
    return this.#fault;
  }

  #step(code: number): boolean {
    switch (this.#expected) {
      case "value or end":
        return code === CLOSE_LIST ? this.#close() : this.#value(code);
      case "value":
        return this.#value(code);
      case "key or end":
        return code === CLOSE_OBJECT ? this.#close() : this.#key(code);
      case "key":
        return this.#key(code);
      case "colon":
        return code === COLON ? this.#move("value") : this.#fail("a colon is missing");
      case "comma or end":
        return this.#next(code);
      case "nothing":
        return this.#fail("there is more after the end of the JSON");
    }
  }

  #value(code: number): boolean {
    if (code === OPEN_OBJECT) return this.#open(new Set(), "key or end");
    if (code === OPEN_LIST) return this.#open(null, "value or end");
    if (code === QUOTE) return this.#string() && this.#done();
    if (code === MINUS || isDigit(code)) return this.#number() && this.#done();
    return this.#word() && this.#done();
  }

  #open(keys: Set<string> | null, expected: Expected): boolean {
    if (this.#around.length >= MAX_DEPTH) {
      return this.#fail(`the JSON is nested more than ${MAX_DEPTH} deep`);
    }
    this.#around.push(keys);
    return this.#move(expected);
  }

  #close(): boolean {
    this.#around.pop();
    this.#at += 1;
    return this.#done();
  }

  /** Behind a whole value. */
  #done(): boolean {
    this.#expected = this.#around.length === 0 ? "nothing" : "comma or end";
    return true;
  }

  #next(code: number): boolean {
    const keys = this.#around.at(-1);
    if (code === (keys ? CLOSE_OBJECT : CLOSE_LIST)) return this.#close();
    return code === COMMA ? this.#move(keys ? "key" : "value") : this.#fail("a comma is missing");
  }

  #key(code: number): boolean {
    const start = this.#at;
    if (code !== QUOTE) return this.#fail("a key is missing");
    if (!this.#string()) return false;
    const written = this.#text.slice(start, this.#at);
    const key = written.includes("\\") ? String(JSON.parse(written)) : written.slice(1, -1);
    const keys = this.#around.at(-1);
    if (key === "__proto__") return this.#fail('a key cannot be "__proto__"', start);
    if (keys?.has(key)) return this.#fail("a key stands twice in one object", start);
    keys?.add(key);
    this.#expected = "colon";
    return true;
  }

  #string(): boolean {
    const text = this.#text;
    for (let at = this.#at + 1; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        this.#at = at + 1;
        return true;
      }
      if (code < 32) return this.#fail("a control character stands in a string", at);
      if (code !== BACKSLASH) continue;
      const length = escapeLength(text, at);
      if (length === 0) return this.#fail("there is no such escape", at);
      at += length - 1;
    }
    return this.#fail("the JSON ends too early", text.length);
  }

  #number(): boolean {
    const start = this.#at;
    let at = start;
    while (isNumberPart(this.#text.charCodeAt(at))) at += 1;
    const number = this.#text.slice(start, at);
    if (!isNumber(number)) return this.#fail("this is not a number of JSON", start);
    if (!Number.isFinite(Number(number))) return this.#fail("the number is too large", start);
    this.#at = at;
    return true;
  }

  #word(): boolean {
    const word = WORDS.find((each) => this.#text.startsWith(each, this.#at));
    if (word === undefined) return this.#fail("a value is missing");
    this.#at += word.length;
    return true;
  }

  /** Answers the character behind it; NaN at the end. */
  #skipSpace(): number {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return code;
      this.#at += 1;
    }
  }

  #move(expected: Expected): true {
    this.#at += 1;
    this.#expected = expected;
    return true;
  }

  #fail(message: string, position = this.#at): false {
    this.#fault = { message, position };
    return false;
  }
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Digits and + - . e E. */
function isNumberPart(code: number): boolean {
  return isDigit(code) || code === 43 || code === 45 || code === 46 || code === 69 || code === 101;
}

/** By hand, because a regular expression remembers every digit of a number of a million. */
function isNumber(text: string): boolean {
  let at = text.startsWith("-") ? 1 : 0;
  const digits = (): boolean => {
    const from = at;
    while (isDigit(text.charCodeAt(at))) at += 1;
    return at > from;
  };
  if (text.charCodeAt(at) === 48) at += 1;
  else if (!digits()) return false;
  if (text.charCodeAt(at) === 46) {
    at += 1;
    if (!digits()) return false;
  }
  if (text.charCodeAt(at) === 69 || text.charCodeAt(at) === 101) {
    at += 1;
    if (text.charCodeAt(at) === 43 || text.charCodeAt(at) === 45) at += 1;
    if (!digits()) return false;
  }
  return at === text.length;
}

/** Of the escape at this place; 0: it is none. */
function escapeLength(text: string, at: number): number {
  const letter = text.charAt(at + 1);
  if (letter === "u") return /^[0-9a-fA-F]{4}$/.test(text.slice(at + 2, at + 6)) ? 6 : 0;
  return letter !== "" && '"\\/bfnrt'.includes(letter) ? 2 : 0;
}
