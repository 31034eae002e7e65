import { describe, expect, it } from "vitest";
import {
  decodeText,
  growBlocks,
  safeLink,
} from "../../web/src/session/conversation/markdown-blocks.ts";
import { cpuTimeOf } from "../cpu-time.ts";

const text = [
  "# Title",
  "",
  "Some *words* and a [link](https://example.org).",
  "",
  "- one",
  "- two",
  "",
  "  still two",
  "",
  "```ts",
  "const a = 1;",
  "",
  "const b = 2;",
  "```",
  "",
  "| a | b |",
  "|---|---|",
  "| 1 | 2 |",
  "",
  "Setext",
  "======",
  "",
  "The end.",
].join("\n");

describe("the blocks of a growing text", () => {
  it("are those of the whole text, however it is cut", () => {
    const whole = growBlocks(null, text);
    for (const step of [1, 3, 7, 50]) {
      let grown = growBlocks(null, "");
      for (let end = 0; end <= text.length; end += step) {
        grown = growBlocks(grown, text.slice(0, end));
      }
      grown = growBlocks(grown, text);
      const told = ({ list }: typeof whole) =>
        list.map(({ at, token }) => [at, token.type, token.raw]);
      expect(told(grown).filter(([, type]) => type !== "space")).toEqual(
        told(whole).filter(([, type]) => type !== "space"),
      );
    }
  });

  it("stay the same, except for the last", () => {
    const before = growBlocks(null, "one\n\ntwo\n\nthr");
    const after = growBlocks(before, "one\n\ntwo\n\nthree");
    expect(after.list[0]?.token).toBe(before.list[0]?.token);
    expect(after.list.at(-1)?.token.raw).toBe("three");
  });

  it("start again with another text", () => {
    const after = growBlocks(growBlocks(null, "one\n\ntwo"), "# other");
    expect(after.list.map(({ token }) => token.type)).toEqual(["heading"]);
  });

  it("show plain text if parsing would take long or nests too deeply", async () => {
    for (const hostile of ["[".repeat(50_000), "x".repeat(1_000_000), "> ".repeat(2400)]) {
      const took = await cpuTimeOf(() =>
        expect(growBlocks(null, hostile).text).toHaveLength(hostile.length),
      );
      expect(took).toBeLessThan(1500);
    }
  });
});

describe("a link", () => {
  it("leads only to pages and mail addresses", () => {
    expect(safeLink("https://example.org/a")).toBe("https://example.org/a");
    expect(safeLink("mailto:a@example.org")).toBe("mailto:a@example.org");
    for (const other of [
      "javascript:alert(1)",
      "data:text/html,x",
      "file:///etc/passwd",
      "/s/x",
      " ",
    ]) {
      expect(safeLink(other)).toBeNull();
    }
  });
});

describe("character references in a text", () => {
  it("become their characters", () => {
    expect(decodeText("a &lt;b&gt; &amp;amp; &#39;c&#x27; &unknown;")).toBe(
      "a <b> &amp; 'c' &unknown;",
    );
  });
});
