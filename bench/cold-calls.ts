import type { Contender } from "./contender.ts";
import { eachMs, elapsedMs } from "./lab.ts";
import { median } from "./measurements.ts";
import { filterOf } from "./seeded-sessions.ts";
import { turnText } from "./turn-text.ts";
import { appendTurns, youngTurns } from "./turns.ts";

/**
 * The first calls of a process, before anything was read, compiled or cached; then lists of sessions that this process
 * has not read yet, with warm code; then its first appends. Prints milliseconds and appends per second.
 */
const WARMING = 60;
const MEASURED = 40;
const WRITERS = 64;
const [name, folder = "", count = "", session = ""] = process.argv.slice(2);
const contender = await load();
const store = await contender.open(folder);
const list = (call: number) => store.list(filterOf(call, { count: Number(count), agents: 23 }));
const first = {
  list_first_ms: await elapsedMs(() => list(0)),
  resume_first_ms: await elapsedMs(() => store.resume(session)),
  append_first_ms: await elapsedMs(() => store.appendTurn(session, turnText(1))),
};
const lists = await eachMs(WARMING + MEASURED, (call) => list(call + 1));
const oneWriterMs = await elapsedMs(() => appendTurns(store, session, youngTurns.oneWriter));
const each = youngTurns.manyWriters / WRITERS;
const writers = Array.from({ length: WRITERS }, () => session);
const manyWritersMs = await elapsedMs(() => store.appendConcurrently(writers, each, turnText(1)));
const times = {
  ...first,
  list_cold_ms: median(lists.slice(WARMING)),
  append_young_rate: (youngTurns.oneWriter * 1000) / oneWriterMs,
  concurrent_young_rate: (youngTurns.manyWriters * 1000) / manyWritersMs,
};
await store.close();
process.stdout.write(JSON.stringify(times));

/** Each process loads one contender, because the sources of Belay take a second to load. */
async function load(): Promise<Contender> {
  const { rawSqlite } = await import("./raw-sqlite.ts");
  if (rawSqlite.name === name) return rawSqlite;
  const { belay } = await import("./belay.ts");
  if (belay.name === name) return belay;
  throw new Error(`no contender ${name}`);
}
