import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createVisibleStream,
  markdownText,
  shortenText,
  visibleJson,
  visibleLine,
  visibleText,
} from "../../src/contract/visible-text.ts";
import { cpuTimeOf } from "../cpu-time.ts";

/** Independent of the implementation: characters that a terminal obeys, that reverse text, or that are invisible. */
function isUnsafe(code: number): boolean {
  const ranges = [
    [0, 8],
    [11, 31],
    [127, 159],
    [0x2028, 0x202e],
    [0x2060, 0x206f],
    [0xe0000, 0xe007f],
    [0xd800, 0xdfff],
  ];
  const single = [
    0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x180e, 0x200b, 0x200e, 0x200f, 0x2800, 0x3164, 0xfeff,
    0xffa0,
  ];
  return single.includes(code) || ranges.some(([from = 0, to = 0]) => code >= from && code <= to);
}

function unsafeIn(text: string): string[] {
  return [...text].filter((character) => isUnsafe(character.codePointAt(0) ?? 0));
}

describe("text that others wrote", () => {
  it.each([
    ["line breaks and tabs stay", "a\n\tb", "a\n\tb"],
    ["so do line breaks of Windows", "a\r\nb", "a\nb"],
    ["an escape sequence", "\u001b[2Jx", "⟦U+001B⟧[2Jx"],
    ["its one-character form", "\u009b31mx", "⟦U+009B⟧31mx"],
    ["a return that overwrites", "good\rbad", "good⟦U+000D⟧bad"],
    ["a turned direction", "a\u202etxt.exe", "a⟦U+202E⟧txt.exe"],
    ["isolates and marks", "\u2066a\u2069\u200f\u061c", "⟦U+2066⟧a⟦U+2069⟧⟦U+200F⟧⟦U+061C⟧"],
    ["zero width", "a\u200bb\u200cc\u200dd\ufeff", "a⟦U+200B⟧b⟦U+200C⟧c⟦U+200D⟧d⟦U+FEFF⟧"],
    ["fillers without a shape", "a\u3164\u115f\u2800b", "a⟦U+3164⟧⟦U+115F⟧⟦U+2800⟧b"],
    ["letters written in tags", "a\u{e0041}b", "a⟦U+E0041⟧b"],
    ["selectors that carry data", "a\ufe01b\u{e0101}", "a⟦U+FE01⟧b⟦U+E0101⟧"],
    ["a soft hyphen", "a\u00adb", "a⟦U+00AD⟧b"],
    ["separators of lines", "a\u2028b\u2029", "a⟦U+2028⟧b⟦U+2029⟧"],
    ["half a character", "a\ud83d b\udc4d", "a⟦U+D83D⟧ b⟦U+DC4D⟧"],
    ["private use", "\ue000", "⟦U+E000⟧"],
    ["other scripts and emoji stay", "é 日本 👩‍💻 ❤️ 1️⃣ 🇩🇪 שלום", "é 日本 👩‍💻 ❤️ 1️⃣ 🇩🇪 שלום"],
    ["so does spelling with joiners", "می‌خواهم क्‍ष", "می‌خواهم क्‍ष"],
    ["a long gap", `ls${" ".repeat(4100)}; rm`, "ls[… 4,100 spaces …]; rm"],
    ["a gap of other blanks", `ls${"\u3000\t".repeat(30)}; rm`, "ls[… 60 blanks …]; rm"],
    ["an indent stays", `${" ".repeat(40)}x`, `${" ".repeat(40)}x`],
    ["many blank lines", `ls${"\n \n".repeat(50)}rm`, "ls\n[… 99 blank lines …]\nrm"],
    ["a few blank lines stay", "a\n\n\n\n\nb", "a\n\n\n\n\nb"],
    [
      "marks that cover their neighbours",
      `a${"\u0301".repeat(50)}b`,
      `a${"\u0301".repeat(8)}[… 42 marks …]b`,
    ],
  ])("%s", (_, text, shown) => {
    expect(visibleText(text)).toBe(shown);
    expect(visibleText(shown)).toBe(shown);
  });

  it("shows line breaks as symbols where only one line fits", () => {
    expect(visibleLine("  ls \n\n\trm -rf\r\n")).toBe("ls ↵ rm -rf");
  });

  it("contains no invisible character in any form", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" }), { maxLength: 5 }), (pieces) => {
        const text = pieces.join("");
        expect(unsafeIn(visibleText(text))).toEqual([]);
        expect(unsafeIn(visibleLine(text))).toEqual([]);
        expect(unsafeIn(pieces.map(createVisibleStream()).join(""))).toEqual([]);
        expect(JSON.parse(visibleJson(text))).toBe(JSON.parse(JSON.stringify(text)));
        expect(unsafeIn(visibleJson(text))).toEqual([]);
      }),
    );
  });

  it("takes time proportional to its length, also for hostile text", async () => {
    const units = [" ", "\n", " \n", "\u202e", "\u0301", "\u200d", "👩\u200d"];
    const took = await cpuTimeOf(() => units.map((unit) => visibleLine(unit.repeat(200_000))));
    expect(took).toBeLessThan(5000);
  });
});

it("stays plain text in Markdown", () => {
  expect(markdownText("[a](b) ![c](d) `e` <f> |g| &#8203;\n# h")).toBe(
    "\\[a\\](b) !\\[c\\](d) \\`e\\` \\<f\\> \\|g\\| \\&#8203; ↵ # h",
  );
});

describe("text in pieces", () => {
  it.each(["a👩‍💻b ❤️!", `x${" ".repeat(100)}y`, "a\u001b[31mb\u202ec", "می‌خواهم"])(
    "looks the same as in one piece: %j",
    (text) => {
      for (let at = 0; at <= text.length; at += 1) {
        const show = createVisibleStream();
        expect(show(text.slice(0, at)) + show(text.slice(at))).toBe(visibleText(text));
      }
      expect(text.split("").map(createVisibleStream()).join("")).toBe(visibleText(text));
    },
  );
});

describe("a text that is shortened", () => {
  it("keeps its start and its end, and says how much is missing", () => {
    const text = `begin ${"x".repeat(3000)} end`;
    const short = shortenText(text, 200);
    expect(short.length).toBeLessThanOrEqual(200);
    expect(short).toMatch(/^begin x+ … 2,8\d\d characters hidden … x+ end$/);
    const hidden = Number(/([\d,]+) characters hidden/.exec(short)?.[1]?.replace(",", ""));
    expect(short.match(/x/g)?.length).toBe(3000 - hidden);
  });

  it("stays unchanged if it is short enough", () => {
    expect(shortenText("abc", 3)).toBe("abc");
  });

  it("splits no character", () => {
    for (const most of [60, 61, 62, 63]) {
      expect(shortenText("👍".repeat(100), most).isWellFormed()).toBe(true);
    }
  });
});
