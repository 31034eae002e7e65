import type { Facts } from "./facts.ts";
import type { JudgedBar, Report } from "./report.ts";
import type { Absent, SideBySide } from "./side-by-side.ts";

export function printReport({ facts, bars, side_by_side }: Report): string {
  const lines = [
    `Node ${facts.node}, SQLite ${facts.sqlite}, ${facts.cores} cores, ${facts.scale} run, P6 with ${count(facts.sessions)} sessions`,
    'Rows without "first" are warm: before the first round, one writer appended 6,000 turns and 64 callers 40,000.',
  ];
  if (facts.load_before > facts.cores / 2) {
    lines.push(
      `The machine was busy before the run (load ${facts.load_before.toFixed(1)}): trust ratios, not absolute numbers.`,
    );
  }
  if (facts.folder === "memory") {
    lines.push(
      "The temporary folder is in memory, where fsync is free: P1, P2 and P5 say nothing.",
    );
  }
  if (bars.length > 0) lines.push("", ...table(barRows(bars)));
  if (side_by_side.length > 0) lines.push("", ...table(sideBySideRows(facts, side_by_side)), "");
  for (const row of side_by_side) {
    lines.push(`${row.name}: ${"absent" in row ? row.absent : row.note}`);
  }
  return `${lines.join("\n")}\n`;
}

function barRows(bars: readonly JudgedBar[]): string[][] {
  return [
    ["", "what", "contender", "measured", "raw", "ratio", "middle half", "bar", "verdict"],
    ...bars.map(({ id, what, contender, measured, raw, against, spread, bar, verdict }) => [
      id.toUpperCase(),
      what,
      contender,
      measured ?? "",
      raw ?? "",
      against ?? "",
      spread ?? "",
      bar,
      verdict,
    ]),
  ];
}

export function sideBySideRows(facts: Facts, rows: readonly (SideBySide | Absent)[]): string[][] {
  const { turns, sessions } = facts.side_by_side;
  const sizes = rows.flatMap((row) => ("absent" in row ? [] : [row.resumeMs]))[0] ?? [];
  const resumes = sizes.map(({ turns }) => `@${count(turns)}`).join(" / ");
  return [
    [
      "",
      "append/s",
      `at ${count(turns)} turns`,
      "disk per turn",
      `resume ${resumes} turns`,
      `list 50 of ${count(sessions)}`,
      "fork of 500 turns",
    ],
    ...rows.map((row) =>
      "absent" in row
        ? [row.name, "not run", "", "", "", "", ""]
        : [
            row.name,
            count(row.appendRate),
            row.slowdown < 1.25 ? "flat" : `${row.slowdown.toFixed(1)} x slower`,
            `${count(row.bytesPerTurn / 1024, 1)} KB`,
            `${row.resumeMs.map(({ ms }) => count(ms, 2)).join(" / ")} ms`,
            `${count(row.listMs, 2)} ms`,
            `${count(row.forkMs, 2)} ms`,
          ],
    ),
  ];
}

function count(value: number, digits = 0): string {
  return value.toLocaleString("en", { maximumFractionDigits: value < 100 ? digits : 0 });
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const lines = rows.map((row) => {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    return cells.join("  ").trimEnd();
  });
  return lines.toSpliced(1, 0, widths.map((width) => "-".repeat(width)).join("  "));
}
