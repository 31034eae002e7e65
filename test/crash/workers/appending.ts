import { createService } from "../../../src/compose-service.ts";
import { newId } from "../../../src/service/new-id.ts";
import { openSqliteStore } from "../../../src/store/sqlite/open-sqlite-store.ts";
import { openAcknowledgements } from "../acknowledgements.ts";

/**
 * Appends turns to one session, several at a time, and reports each promise. As controls, "hasty" reports too early,
 * and "unsynced" uses a store that never waits for the disk.
 */
const [, , home = "", said = "", count = "", width = "", mode = "honest"] = process.argv;
const acknowledge = openAcknowledgements(said);
const synchronous = mode === "unsynced" ? { synchronous: "OFF" as const } : {};
const store = await openSqliteStore({ folder: home, isAlive: () => true, ...synchronous });
const service = createService({ store, now: Date.now, newId });
const caller = { owner: "local", actor: "worker", interface: "library", trace_id: null } as const;
const id = "appended-session";

await service.call("create", { session_id: id, agent_name: "worker" }, caller);
let version = await append("the first turn also starts the session");
let next = 1;
await Promise.all(Array.from({ length: Number(width) }, appendInTurn));
await store.close();

async function appendInTurn(): Promise<void> {
  while (next <= Number(count)) {
    const text = `turn ${next}`;
    next += 1;
    if (mode === "hasty") acknowledge({ session: id, version: version + 1, text });
    version = await append(text);
    if (mode !== "hasty") acknowledge({ session: id, version, text });
  }
}

async function append(input: string): Promise<number> {
  const turn = await service.call("record_turn", { id, input, output: "done" }, caller);
  return turn.version;
}
