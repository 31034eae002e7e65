import { describe, expect, it } from "vitest";
import { diffLines } from "../../web/src/ui/diff-lines.ts";

const numbered = (count: number): string[] => Array.from({ length: count }, (_, n) => `line ${n}`);

describe("the difference of two texts", () => {
  it("shows every line of a new file as added", () => {
    expect(shown(diffLines(null, "a\nb\n"))).toEqual(["+a", "+b"]);
  });

  it("shows every line of an emptied file as removed", () => {
    expect(shown(diffLines("a\nb\n", ""))).toEqual(["-a", "-b"]);
  });

  it("is empty if nothing differs", () => {
    expect(diffLines("a\nb", "a\nb\n")).toEqual({
      ...{ hunks: [], added: 0, removed: 0, isCut: false },
    });
  });

  it("keeps common lines between changes, and shows removed lines before added ones", () => {
    expect(shown(diffLines("a\nb\nc\nd", "a\nB\nc\nD"))).toEqual([
      ...[" a", "-b", "+B", " c", "-d", "+D"],
    ]);
  });

  it("shows three lines around a change and says how many it left out", () => {
    const before = numbered(40);
    const after = before.with(10, "first").with(30, "second");
    const { hunks, added, removed } = diffLines(before.join("\n"), after.join("\n"));
    expect(hunks.map(({ skipped, lines }) => [skipped, lines.length])).toEqual([
      [7, 8],
      [13, 8],
    ]);
    expect([added, removed]).toEqual([2, 2]);
  });

  it("joins changes that are close to each other", () => {
    const before = numbered(30);
    const after = before.with(10, "first").with(16, "second");
    expect(diffLines(before.join("\n"), after.join("\n")).hunks).toHaveLength(1);
  });

  it("contains both texts, whatever was changed", () => {
    for (let seed = 1; seed <= 300; seed += 1) {
      const before = randomLines(seed);
      const after = randomLines(seed * 7919);
      const lines = diffLines(`${before.join("\n")}\n`, `${after.join("\n")}\n`);
      expect(restored(before, lines)).toEqual(after);
    }
  });

  it("leaves nothing out because of a text's content, and shows what the server left out", () => {
    const mark = "line … 9,999 characters hidden … line";
    const change = diffLines(`a\n${mark}\nb\nc`, `a\n${mark}\nevil\nworse`);
    expect(shown(change)).toEqual([" a", ` ${mark}`, "-b", "-c", "+evil", "+worse"]);
    expect(change.isCut).toBe(true);
    expect(diffLines("a", "b").isCut).toBe(false);
  });

  it("finds the few changes of a large text", () => {
    const before = numbered(20_000);
    const after = before.map((line, at) => (at % 100 === 50 ? `other ${line}` : line));
    const { hunks, added, removed } = diffLines(before.join("\n"), after.join("\n"));
    expect([hunks.length, added, removed]).toEqual([200, 200, 200]);
  });

  it("keeps common lines around a change that is too large to compare", () => {
    const before = numbered(5_000);
    const after = before.map((line, at) => (at > 1_000 && at < 4_000 ? `other ${line}` : line));
    const { hunks, added, removed } = diffLines(before.join("\n"), after.join("\n"));
    expect([hunks[0]?.skipped, added, removed]).toEqual([998, 2_999, 2_999]);
  });

  it("takes less than a second of CPU for two large texts that have nothing in common", () => {
    const before = numbered(20_000).join("\n");
    const after = numbered(20_000)
      .map((line) => `other ${line}`)
      .join("\n");
    const began = process.cpuUsage();
    const { added, removed } = diffLines(before, after);
    expect([added, removed]).toEqual([20_000, 20_000]);
    const { user, system } = process.cpuUsage(began);
    expect((user + system) / 1000).toBeLessThan(1000);
  });
});

type Change = ReturnType<typeof diffLines>;

function shown({ hunks }: Change): string[] {
  const marks = { same: " ", added: "+", removed: "-" };
  return hunks.flatMap(({ lines }) => lines.map(({ kind, text }) => `${marks[kind]}${text}`));
}

/** Applies the hunks to the old text, like `patch`. */
function restored(before: readonly string[], { hunks }: Change): string[] {
  const rest = [...before];
  const result: string[] = [];
  for (const { skipped, lines } of hunks) {
    result.push(...rest.splice(0, skipped));
    for (const { kind, text } of lines) {
      if (kind !== "added") expect(rest.shift()).toBe(text);
      if (kind !== "removed") result.push(text);
    }
  }
  return [...result, ...rest];
}

/** Few different lines, so that texts have much in common; the same for each seed. */
function randomLines(seed: number): string[] {
  let state = seed;
  const next = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor(state / 65_536) % below;
  };
  return Array.from({ length: 1 + next(24) }, () => `line ${next(5)}`);
}
