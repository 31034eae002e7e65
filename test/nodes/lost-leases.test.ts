import pg from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { lockOfId, toLocks } from "../../src/store/postgres/write/locks.ts";
import { processesMarked, until } from "../run/run-parts.ts";
import { recordOf } from "../serve/server-process.ts";
import { awaitEvent, NodeLab, turnsOf } from "./node-lab.ts";

// Long enough that a busy machine renews the registration, and shorter than the store waits for a lock.
const lab = await NodeLab.open(12);
afterAll(() => lab.close());
const server = await lab.start(0);

/** While it is held, the lease of the session cannot be renewed, though its node lives. */
async function holdLock(entity_id: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: lab.url });
  await client.connect();
  await client.query("BEGIN");
  await client.query("SELECT belay.lock($1)", [toLocks([lockOfId(entity_id)])]);
  return () => client.end();
}

describe("an agent that is killed because its node could not renew the lease", () => {
  it("has not failed: its turn is interrupted and continued", async () => {
    const { id, entity_id } = await lab.begin(server, "/say begun\n/slow 60000");
    await awaitEvent(server, id, "turn.part");
    const release = await holdLock(entity_id);
    await until("the end of the agent", () => processesMarked(entity_id).length === 0);
    await release();
    await until("the next turn", async () => (await turnsOf(server, id))[1]?.ended_at);
    expect(await turnsOf(server, id)).toMatchObject([
      { status: "interrupted" },
      { status: "completed", input: "Continue the work that was interrupted." },
    ]);
    const { json } = await server.ask("GET", `/sessions/${id}`);
    expect(recordOf(json)).toMatchObject({ status: "active", error_count: 0 });
  });
});
