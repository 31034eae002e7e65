import { join } from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";
import { type Belay, openBelay } from "../../src/index.ts";
import { say } from "./say.ts";
import { runTogether } from "./starting-gate.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const root = temporaryFolder();
const home = join(root, "home");
const SECONDS = 20;

const Writer = z.object({
  name: z.string(),
  own: z.number(),
  shared: z.number(),
  slowest: z.number(),
});
const Loop = z.object({ promised: z.number(), max: z.number(), p99: z.number() });

it("eight processes on one file lose nothing, none starves, and a server beside them never stands still", async () => {
  const belay = await openBelay({ home });
  for (const id of ["shared-session", "server-session"]) {
    await belay.create({ agent_name: "worker", session_id: id });
  }
  const names = Array.from({ length: 8 }, (_, n) => `writer-${n}`);
  const reports = await runTogether(
    [
      ...names.map((name) => ["tireless", home, name, "shared-session", `${SECONDS}`] as const),
      ...["belay", "bystander", "fsync"].map(
        (kind) => ["server", home, "server-session", kind, `${SECONDS}`] as const,
      ),
    ],
    z.union([Writer, Loop]),
  );
  const writers = reports.flatMap((report) => ("name" in report ? [report] : []));
  const [server, bystander, fsync] = reports.flatMap((report) => ("max" in report ? [report] : []));

  const done = writers.map(({ own, shared }) => own + shared).sort((a, b) => a - b);
  const [least = 0, most = 0] = [done.at(0), done.at(-1)];
  say(
    `8 processes for ${SECONDS} s: ${done.reduce((a, b) => a + b, 0)} appends, ` +
      `${least} to ${most} each, slowest append ${Math.max(...writers.map((one) => one.slowest)).toFixed(0)} ms`,
  );
  say(
    `stalls of a server beside them: longest ${server?.max.toFixed(0)} ms, 1 in 100 over ${server?.p99.toFixed(0)} ms ` +
      `(${server?.promised} appends); of a loop without the store: longest ${bystander?.max.toFixed(0)} ms; ` +
      `of a loop that only syncs a file: longest ${fsync?.max.toFixed(0)} ms`,
  );

  for (const { name, own } of writers) {
    expect(await readTurns(belay, name)).toEqual(numbered(name, own));
  }
  expect(await readTurns(belay, "server-session")).toEqual(
    numbered("server", server?.promised ?? 0),
  );
  const shared = await readTurns(belay, "shared-session");
  for (const { name, shared: promised } of writers) {
    expect(shared.filter((text) => text.startsWith(`${name} `))).toEqual(numbered(name, promised));
  }
  expect(shared).toHaveLength(writers.reduce((total, writer) => total + writer.shared, 0));
  expect((await belay.maintenance.verify()).findings).toEqual([]);
  await belay.close();

  expect(least).toBeGreaterThanOrEqual(most / 5);
  expect(server?.max).toBeLessThan(100);
});

/** The inputs of all turns; each page continues the one before it without a gap. */
async function readTurns(belay: Belay, id: string): Promise<string[]> {
  const texts: string[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page: Awaited<ReturnType<Belay["log"]>> = await belay.log({ id, after, limit: 1000 });
    const from: number = after;
    expect(page.events.map(({ seq }) => seq)).toEqual(page.events.map((_, n) => from + n + 1));
    for (const { type, data } of page.events) {
      if (type === "turn.recorded") texts.push(String(data.input));
    }
    after = page.next_cursor;
  }
  return texts;
}

function numbered(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, n) => `${name} ${n + 1}`);
}
