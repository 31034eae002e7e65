import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineSplitter } from "../../../src/files/line-splitter.ts";
import { cpuTimeOf } from "../../cpu-time.ts";

const MB = 1024 * 1024;

function split(chunks: readonly Buffer[], longest: number) {
  const splitter = new LineSplitter(longest);
  const lines = chunks.flatMap((chunk) => [...splitter.push(chunk)]);
  const rest = splitter.rest();
  return rest ? [...lines, rest] : lines;
}

describe("lines", () => {
  it("are complete wherever the stream is cut", () => {
    const text = fc.array(fc.string({ unit: "binary" }).map((line) => line.replaceAll("\n", "")));
    fc.assert(
      fc.property(text, fc.array(fc.nat(50), { minLength: 1 }), (lines, cuts) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
        const chunks: Buffer[] = [];
        for (let from = 0, at = 0; from < bytes.length; at += 1) {
          const size = (cuts[at % cuts.length] ?? 0) + 1;
          chunks.push(bytes.subarray(from, from + size));
          from += size;
        }
        const out = split(chunks, MB).map((line) =>
          line.kind === "line" ? line.bytes.toString() : "?",
        );
        expect(out).toEqual(lines.filter((line) => line !== "").map((line) => line.toWellFormed()));
      }),
    );
  });

  it("that are too long report their size and their ends, and the next line is complete", () => {
    const long = `begin${"x".repeat(50_000)}end`;
    const chunks = Buffer.from(`${long}\nnext\n`);
    const parts = Array.from({ length: Math.ceil(chunks.length / 999) }, (_, at) =>
      chunks.subarray(at * 999, (at + 1) * 999),
    );
    const [first, second] = split(parts, 10_000);
    if (first?.kind !== "oversized") throw new Error("it was not dropped");
    expect(first.size).toBe(long.length);
    expect([first.head.slice(0, 5), first.tail.slice(-3)]).toEqual(["begin", "end"]);
    expect(first.head.length + first.tail.length).toBeLessThan(10_000);
    expect(second?.kind === "line" && second.bytes.toString()).toBe("next");
  });

  it("of half a gigabyte need no memory and little time", async () => {
    const splitter = new LineSplitter(16 * MB);
    const chunk = Buffer.alloc(64 * 1024, "x");
    const before = process.memoryUsage().rss;
    let complete = 0;
    // One expectation per chunk would leave more garbage than the limit below.
    const took = await cpuTimeOf(() => {
      for (let at = 0; at < 8192; at += 1) complete += [...splitter.push(chunk)].length;
    });
    expect(complete).toBe(0);
    expect(took).toBeLessThan(5_000);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * MB);
    expect(splitter.rest()).toMatchObject({ kind: "oversized", size: 512 * MB });
  });
});
