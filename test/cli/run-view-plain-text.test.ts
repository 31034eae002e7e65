import { describe, expect, it } from "vitest";
import {
  createPlainText,
  cutLine,
  plainLine,
  plainText,
} from "../../src/interfaces/cli/plain-text.ts";

const ESC = "\u001b";

describe("what an agent says", () => {
  it.each([
    ["keeps line breaks and tabs", "a\n\tb", "a\n\tb"],
    ["loses colours", `${ESC}[1;31mred${ESC}[0m`, "red"],
    ["loses cursor moves", `a${ESC}[2Jb${ESC}[10;20Hc`, "abc"],
    ["loses a title of the window", `${ESC}]0;owned\u0007text`, "text"],
    ["loses a string that ends with ST", `${ESC}]52;c;aGk=${ESC}\\text`, "text"],
    ["loses device control strings", `${ESC}P1$r0m${ESC}\\text`, "text"],
    ["loses links but not their text", `${ESC}]8;;http://x${ESC}\\link${ESC}]8;;${ESC}\\`, "link"],
    ["loses sequences of one character", `a${ESC}cb${ESC}7c`, "abc"],
    ["loses character set changes", `a${ESC}(0b`, "ab"],
    ["loses sequences of the eight-bit kind", "a\u009b31mb\u009d0;t\u009cc", "abc"],
    ["loses a sequence inside of another", `${ESC}[1${ESC}[31mred`, "red"],
    [
      "loses bells, backspaces, deletes, returns and NUL",
      "a\u0007b\u0008c\u007fd\re\u0000",
      "abcde",
    ],
    ["loses what turns the direction of writing", "a\u202eb\u2066c\u200f", "abc"],
    ["keeps what other scripts and emoji need", "é 日本 👩‍💻 שלום", "é 日本 👩‍💻 שלום"],
    ["shows half a character as such", "a\ud83d b", "a\ufffd b"],
  ])("%s", (_, said, shown) => {
    expect(plainText(said)).toBe(shown);
  });

  it("cannot smuggle a sequence in by pieces", () => {
    const said = `a${ESC}]0;title\u0007b${ESC}[31mc${ESC}(0d👍\u009b1me`;
    for (let at = 0; at <= said.length; at += 1) {
      const plain = createPlainText();
      expect(plain(said.slice(0, at)) + plain(said.slice(at))).toBe("abcd👍e");
    }
    const plain = createPlainText();
    expect(said.split("").map(plain).join("")).toBe("abcd👍e");
  });

  it("cannot hide all that follows behind a sequence that never ends", () => {
    expect(plainText(`${ESC}]0;${"x".repeat(1000)}\nend`)).toMatch(/^x+\nend$/);
    expect(plainText(`${ESC}]0;open\nnext`)).toBe("\nnext");
  });

  it("fits on one line where it has to", () => {
    expect(plainLine(" a\n\n b\t\u001b[1mc ")).toBe("a b c");
  });
});

describe("a line that is cut", () => {
  it.each([
    ["abc", 3, "abc"],
    ["abcd", 3, "ab…"],
    ["日本語", 6, "日本語"],
    ["日本語", 5, "日本…"],
    ["日本語", 4, "日…"],
    ["👍👍👍", 4, "👍…"],
    ["éé", 2, "éé"],
    ["abc", 0, "…"],
  ])("%s to %i columns", (line, columns, cut) => {
    expect(cutLine(line, columns)).toBe(cut);
  });
});
