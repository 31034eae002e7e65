/** A value of a JSON text with the place where it stands, so that the text around it can stay as it is. */
export type JsonNode = JsonObject | JsonArray | JsonString | JsonOther;
interface Span {
  readonly start: number;
  readonly end: number;
}
export interface JsonObject extends Span {
  readonly kind: "object";
  readonly children: readonly Member[];
}
export interface JsonArray extends Span {
  readonly kind: "array";
  readonly children: readonly JsonNode[];
}
interface JsonString extends Span {
  readonly kind: "string";
  readonly value: string;
}
interface JsonOther extends Span {
  readonly kind: "other";
}
/** From its key to the end of its value. */
export interface Member extends Span {
  readonly key: string;
  readonly value: JsonNode;
}

export class NotJson extends Error {}

const DEEPEST = 200;

/** Reads JSON as people write it in settings: with comments, commas after the last item, a byte order mark. */
export function scanJsonc(text: string): JsonNode {
  let at = text.startsWith("\uFEFF") ? 1 : 0;
  const root = readValue(0);
  skip();
  if (at < text.length) throw wrong("something after the end");
  return root;

  function readValue(depth: number): JsonNode {
    skip();
    if (depth > DEEPEST) throw wrong("too many levels");
    const start = at;
    switch (text[at]) {
      case "{":
        return {
          kind: "object",
          children: readChildren("}", () => readMember(depth)),
          start,
          end: at,
        };
      case "[":
        return {
          kind: "array",
          children: readChildren("]", () => readValue(depth + 1)),
          start,
          end: at,
        };
      case '"':
        return { kind: "string", value: readString(), start, end: at };
      default:
        return readWord();
    }
  }

  function readChildren<T>(close: string, readChild: () => T): T[] {
    const children: T[] = [];
    at += 1;
    for (;;) {
      skip();
      if (text[at] === close) break;
      children.push(readChild());
      skip();
      if (text[at] === ",") at += 1;
      else if (text[at] !== close) throw wrong(`"," or "${close}" is missing`);
    }
    at += 1;
    return children;
  }

  function readMember(depth: number): Member {
    const start = at;
    if (text[at] !== '"') throw wrong("a name in quotes is missing");
    const key = readString();
    skip();
    if (text[at] !== ":") throw wrong('":" is missing');
    at += 1;
    const value = readValue(depth + 1);
    return { key, value, start, end: value.end };
  }

  function readString(): string {
    const start = at;
    for (at += 1; at < text.length && text[at] !== '"'; at += 1) if (text[at] === "\\") at += 1;
    at += 1;
    try {
      return String(JSON.parse(text.slice(start, at)));
    } catch {
      at = start;
      throw wrong("a text does not end, or has a character that it must not have");
    }
  }

  function readWord(): JsonNode {
    const start = at;
    const word = WORD.exec(text.slice(at, at + 64))?.[0];
    if (word === undefined)
      throw wrong(at < text.length ? "no value stands here" : "it ends too early");
    at += word.length;
    return { kind: "other", start, end: at };
  }

  function skip(): void {
    for (;;) {
      SPACE.lastIndex = at;
      const space = SPACE.exec(text)?.[0] ?? "";
      if (space === "") return;
      at += space.length;
    }
  }

  function wrong(what: string): NotJson {
    const line = text.slice(0, at).split("\n").length;
    return new NotJson(`line ${line}: ${what}`);
  }
}

const SPACE = /[ \t\r\n]+|\/\/[^\r\n]*|\/\*[\s\S]*?\*\//y;
const WORD = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])/;
