import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "rolldown/utils";
import { describe, expect, it } from "vitest";

const ROOT = new URL("../..", import.meta.url).pathname;

/** A sentence that starts with one of these is a riddle until its end: it names its subject last. */
const OPENER = /^(?:What|Whatever|Who|Whoever|Whose|Of)\b/;

interface Comment {
  readonly file: string;
  readonly text: string;
}

/** Every comment below a folder. Consecutive line comments are one; generated files are left out. */
function readComments(folder: string): Comment[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((name) => {
      const file = join(folder, name);
      const source = readFileSync(join(ROOT, file), "utf8");
      if (source.startsWith("// Written by ")) return [];
      return commentsIn(file, source).map((text) => ({ file, text }));
    });
}

function commentsIn(file: string, source: string): string[] {
  const found: { text: string; end: number | null }[] = [];
  for (const { type, value, start, end } of parseSync(file, source).comments) {
    const text = value
      .replaceAll(/^\s*\*+/gm, " ")
      .replaceAll(/\s+/g, " ")
      .trim();
    const last = found.at(-1);
    const isNext = last?.end != null && /^\n[ \t]*$/.test(source.slice(last.end, start));
    if (type === "Line" && last && isNext) {
      last.text += ` ${text}`;
      last.end = end;
    } else found.push({ text, end: type === "Line" ? end : null });
  }
  return found.map(({ text }) => text);
}

/** The sentences of a comment that name their subject last. Questions may. */
function riddlesIn(text: string): string[] {
  const sentences = text.split(/(?<=[.!?])\s+(?=[A-Z`"])/);
  return sentences.filter((sentence) => OPENER.test(sentence) && !sentence.endsWith("?"));
}

describe("comments of src and web/src", () => {
  const comments = [...readComments("src"), ...readComments("web/src")];

  it("name their subject first", () => {
    expect(comments.length).toBeGreaterThan(3000);
    const found = comments.flatMap(({ file, text }) =>
      riddlesIn(text).map((sentence) => `${file}: ${sentence}`),
    );
    expect(found).toEqual([]);
  });

  it.each([
    "/** Whoever comes second waits. */",
    "/**\n * Saves the head.\n * What nobody waited for must not take the work of all others with it.\n */",
    "// Read first.\n// Of two drivers at most one can write.",
    "const jsx = 1; /* What is left. */",
  ])("are refused if they are unclear: %s", (source) => {
    expect(commentsIn("a.ts", source).flatMap(riddlesIn)).toHaveLength(1);
  });

  it.each([
    "/** Who may read this? The owner. */",
    "/** The server refuses what it does not know. */",
    'const text = "What is not a comment.";',
    "/** Official ids only. */",
  ])("are accepted: %s", (source) => {
    expect(commentsIn("a.ts", source).flatMap(riddlesIn)).toEqual([]);
  });
});
