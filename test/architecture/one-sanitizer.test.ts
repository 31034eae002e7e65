import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { listFiles, root } from "./list-files.ts";

const ONE = "src/contract/visible-text.ts";
/** A pattern of hidden characters or escape sequences whose matches are replaced. */
const STRIPS =
  /\.replace(?:All)?\(\s*(?:[A-Z_]+|\/[^\n]*(?:\\p\{C|\\x1b|\\u001b|\\u20[0-9a-f]{2}))/;

describe("hidden characters", () => {
  it("are made visible in one file only", () => {
    const files = [...listFiles("src"), ...listFiles("web/src")].filter((file) =>
      /\.tsx?$/.test(file),
    );
    const others = files.filter(
      (file) => file !== ONE && strips(readFileSync(join(root, file), "utf8")),
    );
    expect(others).toEqual([]);
  });

  it.each([
    String.raw`text.replace(/\p{Cc}+/gu, " ")`,
    String.raw`text.replaceAll(/[\u202a-\u202e]/g, "")`,
    'const UNSEEN = /(?![\\n\\t])[\\p{Cc}]/gu;\ntext.replaceAll(UNSEEN, "")',
  ])("are found where %s removes them", (source) => expect(strips(source)).toBe(true));
});

function strips(source: string): boolean {
  return STRIPS.test(source) && /\\p\{C|\\x1b|\\u001b|\\u20[0-9a-f]{2}/.test(source);
}
