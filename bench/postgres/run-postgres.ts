import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { replaceBetween, toMarkdown } from "../markdown-table.ts";
import { type Figure, judgeFigure } from "./figures.ts";
import { measureAppend } from "./measure-append.ts";
import { measureFeed } from "./measure-feed.ts";
import { measureList } from "./measure-list.ts";
import { measureMany } from "./measure-many.ts";
import { measureNodes } from "./measure-nodes.ts";
import { measureResume } from "./measure-resume.ts";
import { measureSaver } from "./measure-saver.ts";
import { type PostgresLab, withPostgres } from "./postgres-lab.ts";
import { postgresScales } from "./postgres-scale.ts";

const measurements = {
  append: measureAppend,
  resume: measureResume,
  saver: measureSaver,
  list: measureList,
  feed: measureFeed,
  nodes: measureNodes,
  many: measureMany,
} as const satisfies Record<string, (lab: PostgresLab) => Promise<Figure[]>>;

export const postgresNames = Object.keys(measurements);

interface PostgresReport {
  readonly postgres: string;
  readonly node: string;
  readonly cores: number;
  /** Processes that wanted a core in the minutes before the run and at its end. */
  readonly load: readonly number[];
  readonly figures: readonly Figure[];
}

const STORED = join(import.meta.dirname, "..", "results", "postgres.json");
const GUIDE = join(import.meta.dirname, "..", "..", "docs", "guide", "many-nodes.md");

/** Measures Belay on a PostgreSQL server of its own. Unless it is quick, a run writes its rows into the table of the guide. */
export async function runPostgres(quick: boolean, only: string | undefined): Promise<void> {
  const names = only?.split(",") ?? postgresNames.filter((name) => name !== "many");
  const unknown = names.find((name) => !postgresNames.includes(name));
  if (unknown !== undefined) throw new Error(`unknown bench "${unknown}"`);
  const scale = quick ? postgresScales.quick : postgresScales.full;
  const progress = (line: string) => void process.stderr.write(`${line}\n`);
  const [before = 0] = loadavg();
  const absent = await withPostgres(scale, progress, async (lab) => {
    const figures: Figure[] = [];
    for (const [name, measure] of Object.entries(measurements)) {
      if (!names.includes(name)) continue;
      const start = performance.now();
      figures.push(...(await measure(lab)));
      progress(`${name} took ${((performance.now() - start) / 1000).toFixed(1)} s`);
    }
    const report: PostgresReport = {
      postgres: lab.version,
      node: process.versions.node,
      cores: availableParallelism(),
      load: [before, loadavg()[0] ?? 0],
      figures,
    };
    process.stdout.write(`${renderReport(report)}\n`);
    if (quick) return;
    const whole = only === undefined ? report : { ...report, figures: mergeFigures(figures) };
    writeFileSync(STORED, `${JSON.stringify(whole, null, 1)}\n`);
    replaceBetween(GUIDE, "bench postgres", renderReport(whole));
  });
  if (absent !== undefined) process.stdout.write(`PostgreSQL cannot start: ${absent}\n`);
}

/** The stored figures, with those that were measured again. */
function mergeFigures(measured: readonly Figure[]): Figure[] {
  return readStored().figures.map(
    (figure) => measured.find(({ what }) => what === figure.what) ?? figure,
  );
}

function readStored(): PostgresReport {
  return JSON.parse(readFileSync(STORED, "utf8"));
}

function renderReport({ postgres, node, cores, load, figures }: PostgresReport): string {
  const busy = load.map((each) => each.toFixed(0)).join(" to ");
  return [
    `PostgreSQL ${postgres}, Node ${node}, ${cores} cores with a load of ${busy}, fsync on. Ratios are medians of interleaved rounds; brackets`,
    "contain the range of the middle half of the rounds.",
    "",
    ...toMarkdown([
      ["", "Belay", "compared with", "ratio or value", "target"],
      ...figures.map(judgeFigure).map(({ what, measured, base, value, target, isMissed }) => {
        const verdict = isMissed ? "**missed**" : "reached";
        return [what, measured, base, value, target === "" ? "" : `${target}, ${verdict}`];
      }),
    ]),
  ].join("\n");
}

if (import.meta.main) replaceBetween(GUIDE, "bench postgres", renderReport(readStored()));
