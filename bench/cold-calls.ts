import type { Contender } from "./contender.ts";
import { eachMs, elapsedMs } from "./lab.ts";
import { median } from "./measurements.ts";
import { filterOf } from "./seeded-sessions.ts";
import { turnText } from "./turn-text.ts";

/**
 * The first calls of a process, before anything was read, compiled or cached; then lists of sessions that this process
 * has not read yet, with warm code. Prints milliseconds.
 */
const WARMING = 60;
const MEASURED = 40;
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
const times = { ...first, list_cold_ms: median(lists.slice(WARMING)) };
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
