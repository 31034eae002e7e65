import { join } from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";
import { type Belay, openBelay } from "../../src/index.ts";
import { sampleSize } from "./sample-size.ts";
import { say } from "./say.ts";
import { runTogether } from "./starting-gate.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const home = join(temporaryFolder(), "home");
const SECONDS = sampleSize({ full: 20, sample: 12 });
const STALL_MS = 100;

const Writer = z.object({
  name: z.string(),
  own: z.number(),
  shared: z.number(),
  slowest: z.number(),
});
type Writer = z.infer<typeof Writer>;
const Loop = z.object({ kind: z.string(), promised: z.number(), max: z.number(), p99: z.number() });

it("eight processes on one file lose nothing and none starves, and a server beside them keeps answering", async () => {
  const belay = await openBelay({ home });
  for (const id of ["shared-session", "server-session"]) {
    await belay.sessions.create({ agent_name: "worker", session_id: id });
  }
  const { writers, loop } = await runAll();
  reportWriters(writers);
  await expectNothingLost(belay, writers, loop("belay").promised);
  await belay.close();

  const done = writers.map(({ own, shared }) => own + shared);
  expect(Math.min(...done)).toBeGreaterThanOrEqual(Math.max(...done) / 5);

  // The time for which a loop on this machine stands still anyway, without the store or for a bare fsync, does not
  // count.
  const anyway = Math.max(loop("bystander").max, loop("fsync").max);
  const control = loop("waiting").max;
  say(
    `longest stall of a server beside them: ${loop("belay").max.toFixed(0)} ms ` +
      `(99 of 100 under ${loop("belay").p99.toFixed(0)} ms, ${loop("belay").promised} appends); ` +
      `of a loop without the store ${loop("bystander").max.toFixed(0)} ms, ` +
      `of a loop that only syncs a file ${loop("fsync").max.toFixed(0)} ms; ` +
      `control, SQLite's own way of waiting: ${control.toFixed(0)} ms`,
  );
  expect(loop("belay").p99).toBeLessThan(STALL_MS);
  expect(loop("belay").max).toBeLessThan(STALL_MS + anyway);
  expect(control).toBeGreaterThanOrEqual(STALL_MS + anyway);
});

async function runAll() {
  const names = Array.from({ length: 8 }, (_, n) => `writer-${n}`);
  const kinds = ["belay", "bystander", "fsync", "waiting"];
  const reports = await runTogether(
    [
      ...names.map((name) => ["tireless", home, name, "shared-session", `${SECONDS}`] as const),
      ...kinds.map((kind) => ["server", home, "server-session", kind, `${SECONDS}`] as const),
    ],
    z.union([Writer, Loop]),
  );
  return {
    writers: reports.flatMap((report) => ("name" in report ? [report] : [])),
    loop: (kind: string) => {
      const found = reports.find((report) => "kind" in report && report.kind === kind);
      return Loop.parse(found);
    },
  };
}

function reportWriters(writers: readonly Writer[]): void {
  const done = writers.map(({ own, shared }) => own + shared);
  const total = done.reduce((sum, one) => sum + one, 0);
  const slowest = Math.max(...writers.map((writer) => writer.slowest));
  say(
    `8 processes for ${SECONDS} s: ${total} appends, ${Math.min(...done)} to ${Math.max(...done)} each, ` +
      `slowest append ${slowest.toFixed(0)} ms`,
  );
}

async function expectNothingLost(belay: Belay, writers: readonly Writer[], served: number) {
  for (const { name, own } of writers) {
    expect(await readTurns(belay, name)).toEqual(numbered(name, own));
  }
  expect(await readTurns(belay, "server-session")).toEqual(numbered("server", served));
  const shared = await readTurns(belay, "shared-session");
  for (const { name, shared: promised } of writers) {
    expect(shared.filter((text) => text.startsWith(`${name} `))).toEqual(numbered(name, promised));
  }
  expect(shared).toHaveLength(writers.reduce((total, writer) => total + writer.shared, 0));
  expect((await belay.maintenance.verify()).findings).toEqual([]);
}

/** The inputs of all turns; each page continues the previous one without a gap. */
async function readTurns(belay: Belay, id: string): Promise<string[]> {
  const texts: string[] = [];
  for (let after = 0; ; ) {
    const { events } = await belay.sessions.log({ id, after, limit: 1000 });
    if (events.length === 0) return texts;
    const before = after;
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, n) => before + n + 1));
    for (const { type, data } of events) {
      if (type === "turn.recorded") texts.push(String(data.input));
    }
    after += events.length;
  }
}

function numbered(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, n) => `${name} ${n + 1}`);
}
