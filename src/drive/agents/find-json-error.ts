/** Where a text stops being JSON: its offset, line and column. `JSON.parse` does not always say. */
export function findJsonError(text: string): { offset: number; line: number; column: number } {
  const offset = wrongOffset(text);
  const before = text.slice(0, offset).split("\n");
  return { offset, line: before.length, column: (before.at(-1) ?? "").length + 1 };
}

/** Deeper than this, the place where it becomes too deep is as good an answer. */
const DEEPEST = 500;
const SPACE = /[ \t\r\n]*/y;
const STRING = /"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const OTHER = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

function wrongOffset(text: string): number {
  let at = 0;
  if (readValue(0)) skip();
  return at;

  function readValue(depth: number): boolean {
    skip();
    if (depth > DEEPEST) return false;
    if (take("{")) return readItems("}", () => readMember(depth));
    if (take("[")) return readItems("]", () => readValue(depth + 1));
    return match(STRING) || match(OTHER);
  }

  function readMember(depth: number): boolean {
    skip();
    if (!match(STRING)) return false;
    skip();
    return take(":") && readValue(depth + 1);
  }

  function readItems(end: string, readItem: () => boolean): boolean {
    skip();
    if (take(end)) return true;
    do {
      if (!readItem()) return false;
      skip();
    } while (take(","));
    return take(end);
  }

  function skip(): void {
    match(SPACE);
  }

  function take(sign: string): boolean {
    if (text[at] !== sign) return false;
    at += 1;
    return true;
  }

  function match(pattern: RegExp): boolean {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    at += found?.[0].length ?? 0;
    return found !== null;
  }
}
