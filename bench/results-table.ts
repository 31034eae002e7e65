import { readFileSync } from "node:fs";
import { join } from "node:path";
import { barIds } from "./bars.ts";
import { contenders } from "./contenders.ts";
import { replaceBetween, toMarkdown } from "./markdown-table.ts";
import type { Metric } from "./measurements.ts";
import { sideBySideRows } from "./print-report.ts";
import { composeReport, type JudgedBar, type Report } from "./report.ts";

/** The results as the documents show them, judged again from the rounds with the current bars. */
export function renderResults(stored: Report): string {
  const { facts, bars, side_by_side } = judgeAgain(stored);
  const run = `Node ${facts.node}, SQLite ${facts.sqlite}, ${facts.cores} cores, ${facts.sessions.toLocaleString("en")} sessions where all are listed.`;
  return [
    `${run} Ratios are medians of interleaved rounds; brackets contain the range of the middle half of the rounds.`,
    "",
    ...toMarkdown([
      ["", "Belay", "raw", "ratio or value", "format alone", "target"],
      ...bars.filter(({ verdict }) => verdict !== "not measured").map(toCells),
    ]),
    "",
    "The same small workload for everyone:",
    "",
    ...toMarkdown(sideBySideRows(facts, side_by_side)),
    "",
    ...side_by_side.map(
      (row) => `- ${row.name}: ${"absent" in row ? `not run: ${row.absent}` : row.note}`,
    ),
  ].join("\n");
}

/** Replaces the table in a document. */
export function writeResults(path: string, report: Report): void {
  replaceBetween(path, "bench", renderResults(report));
}

export const SPEED_GUIDE = join(import.meta.dirname, "..", "docs", "guide", "speed.md");
export const LATEST = join(import.meta.dirname, "results", "latest.json");

export function readReport(path: string): Report {
  return JSON.parse(readFileSync(path, "utf8"));
}

function judgeAgain({ facts, side_by_side, samples }: Report): Report {
  const measurements = new Map(
    Object.entries(samples).map(([name, series]) => [
      name,
      new Map(Object.entries(series).filter((entry): entry is [Metric, number[]] => true)),
    ]),
  );
  const names = contenders.map(({ name }) => name);
  return composeReport(facts, names[0] ?? "", names, barIds, measurements, side_by_side);
}

function toCells({
  what,
  measured,
  raw,
  against,
  spread,
  floor,
  bar,
  verdict,
}: JudgedBar): string[] {
  const ratio = spread === undefined ? `${against}` : `${against} (${spread})`;
  const judged = bar === "-" ? "" : `${bar}, ${verdict === "missed" ? "**missed**" : verdict}`;
  return [what, measured ?? "", raw === "-" ? "" : (raw ?? ""), ratio, floor ?? "", judged];
}

if (import.meta.main) writeResults(SPEED_GUIDE, readReport(LATEST));
