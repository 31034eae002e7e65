import { contenders } from "./contenders.ts";
import { elapsedMs } from "./lab.ts";
import { filterOf } from "./seeded-sessions.ts";
import { turnText } from "./turn-text.ts";

/** The first calls of a process: nothing of it has been read, compiled or cached before. Prints milliseconds. */
const [name, folder = "", count = "", session = ""] = process.argv.slice(2);
const contender = contenders.find((each) => each.name === name);
if (!contender) throw new Error(`no contender ${name}`);
const store = await contender.open(folder);
const filter = filterOf(5, { count: Number(count), agents: 23 });
const times = {
  list_cold_ms: await elapsedMs(() => store.list(filter)),
  resume_cold_ms: await elapsedMs(() => store.resume(session)),
  append_cold_ms: await elapsedMs(() => store.appendTurn(session, turnText(1))),
};
await store.close();
process.stdout.write(JSON.stringify(times));
