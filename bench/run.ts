import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type BarId, barIds } from "./bars.ts";
import { measureFollowers } from "./capacity/measure-followers.ts";
import { runCapacity } from "./capacity/run-capacity.ts";
import { contenders } from "./contenders.ts";
import { gatherFacts } from "./facts.ts";
import type { Lab } from "./lab.ts";
import { measureAppend } from "./measure/append.ts";
import { measureChunk } from "./measure/chunk.ts";
import { measureClaims } from "./measure/claims.ts";
import { measureCold } from "./measure/cold.ts";
import { measureConcurrentAppend } from "./measure/concurrent-append.ts";
import { measureEncryption } from "./measure/encryption.ts";
import { measureFork } from "./measure/fork.ts";
import { measureGetSession } from "./measure/get-session.ts";
import { measureGraphql } from "./measure/graphql.ts";
import { measureGrowth } from "./measure/growth.ts";
import { measureHook } from "./measure/hook.ts";
import { measureIdleServer } from "./measure/idle-server.ts";
import { measureList } from "./measure/list.ts";
import { measureResume } from "./measure/resume.ts";
import { measureStream } from "./measure/stream.ts";
import { postgresNames, runPostgres } from "./postgres/run-postgres.ts";
import { printReport } from "./print-report.ts";
import { profileTo } from "./profile.ts";
import { composeReport } from "./report.ts";
import { LATEST, SPEED_GUIDE, writeResults } from "./results-table.ts";
import { scales } from "./scale.ts";
import { measureSideBySide } from "./side-by-side.ts";

const usage = `node bench/run.ts [--quick] [--only p1,p3,peers] [--json FILE] [--profile p1]
node bench/run.ts postgres [--quick] [--only append,list]
node bench/run.ts capacity
node bench/run.ts followers

  --quick   fewer rounds, 50,000 sessions instead of 1,000,000, about two minutes
  --only    some of ${[...barIds, "peers"].join(", ")}
  --json    where the results go (default: bench/results/latest.json for a whole run,
            bench/results/partial.json for a quick or selected one)
  --profile run one of them at the quick scale under a profiler, and leave NAME.cpuprofile and
            a flame graph NAME.html in bench/results (of this process: not of servers and hooks)

A whole run writes its table into docs/guide/speed.md; \`node bench/results-table.ts\` writes that of latest.json.

  postgres  measures Belay on a PostgreSQL server that it starts itself: some of ${postgresNames.join(", ")}.
            A whole run takes about eight minutes, and leaves out many (10,000,000 sessions, half an
            hour, 35 GB). Unless it is quick, it writes its rows into docs/guide/many-nodes.md
  capacity  simulates four minutes of many nodes, and compares them with the formulas in docs/guide/capacity.md
  followers measures what followers of sessions cost a node and a PostgreSQL server that it starts itself
`;

const measure = {
  p1: measureAppend,
  p2: measureConcurrentAppend,
  p3: measureGrowth,
  p4: measureResume,
  p5: measureFork,
  p6: (lab) => measureList(lab).then(() => measureCold(lab)),
  p7: measureHook,
  p8: measureClaims,
  p9: (lab) => measureGetSession(lab).then(() => measureGraphql(lab)),
  p10: (lab) => measureChunk(lab).then(() => measureStream(lab)),
  p11: measureIdleServer,
  p14: measureEncryption,
} as const satisfies Record<BarId, (lab: Lab) => Promise<void>>;

const PARTS = ["postgres", "capacity", "followers"];

const results = join(import.meta.dirname, "results");

const began = performance.now();
await main();
process.stderr.write(`the run took ${((performance.now() - began) / 1000).toFixed(0)} s\n`);

async function main(): Promise<void> {
  const options = parseOptions();
  if (!options) return;
  if (options.part === "postgres") return runPostgres(options.quick, options.only);
  if (options.part === "capacity") return void process.stdout.write(runCapacity());
  if (options.part === "followers") return void process.stdout.write(await measureFollowers());
  const { quick, only, json, chosen, profile } = options;
  const lab: Lab = {
    contenders,
    scale: quick ? scales.quick : scales.full,
    measurements: new Map(),
    progress: (line) => process.stderr.write(`${line}\n`),
  };
  if (profile !== undefined) {
    const [id] = parseChoice(profile).bars;
    if (!id) throw new Error(`cannot profile "${profile}"`);
    const page = await profileTo(results, id, () => measure[id]({ ...lab, scale: scales.quick }));
    process.stdout.write(`${page}\n`);
    return;
  }
  const facts = gatherFacts(lab.scale);
  for (const id of chosen.bars) await inProgress(lab, id, () => measure[id](lab));
  const sideBySide = chosen.peers
    ? await inProgress(lab, "peers", () => measureSideBySide(lab))
    : [];

  const report = composeReport(
    facts,
    contenders[0].name,
    contenders.map(({ name }) => name),
    chosen.bars,
    lab.measurements,
    sideBySide,
  );
  const partial = quick || only !== undefined;
  const file = partial ? join(results, "partial.json") : LATEST;
  writeFileSync(json ?? file, `${JSON.stringify(report, null, 2)}\n`);
  if (!partial && json === undefined) writeResults(SPEED_GUIDE, report);
  process.stdout.write(printReport(report));
}

function parseOptions() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        quick: { type: "boolean", default: false },
        only: { type: "string" },
        json: { type: "string" },
        profile: { type: "string" },
        help: { type: "boolean", default: false },
      },
    });
    const [part] = positionals;
    if (part !== undefined && !PARTS.some((known) => known === part)) {
      throw new Error(`unknown bench "${part}"`);
    }
    const chosen = parseChoice(part === undefined ? values.only : undefined);
    if (!values.help) return { ...values, part, chosen };
    process.stdout.write(usage);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    process.exitCode = 2;
  }
  return undefined;
}

function parseChoice(only: string | undefined): { bars: readonly BarId[]; peers: boolean } {
  if (only === undefined) return { bars: barIds, peers: true };
  const names = only.toLowerCase().split(",");
  const unknown = names.find((name) => name !== "peers" && !barIds.some((id) => id === name));
  if (unknown !== undefined) throw new Error(`unknown bench "${unknown}"`);
  return { bars: barIds.filter((id) => names.includes(id)), peers: names.includes("peers") };
}

async function inProgress<Result>(lab: Lab, name: string, work: () => Promise<Result>) {
  lab.progress(`${name} ...`);
  const start = performance.now();
  const result = await work();
  lab.progress(`${name} took ${((performance.now() - start) / 1000).toFixed(1)} s`);
  return result;
}
