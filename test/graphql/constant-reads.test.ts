import { describe, expect, it } from "vitest";
import { readDetails } from "../../src/service/read/read-details.ts";
import type { StreamStore } from "../../src/store/stream-store.ts";
import { openServer, type TestServer } from "../http/open-server.ts";
import { askGraphql } from "./ask-graphql.ts";
import { countReads } from "./count-reads.ts";

const EVERYTHING = `query ($n: Int) { agentSessions(limit: $n) {
  sessionId metadata history(last: 50) { turnId input output } artifacts { name } checkpoints { name } task { title } } }`;
const CALLER = { owner: "ann", actor: "test", interface: "library", trace_id: null } as const;

describe("a list of sessions with all related data", () => {
  it("needs as many store reads for 50 sessions as for one", async () => {
    const counted = countReads();
    const server = await openServer({ wrap: counted.wrap });
    for (let n = 0; n < 50; n++) await fill(server, n);

    const costs = new Map<number, number>();
    for (const n of [1, 5, 50]) {
      counted.reset();
      const { data, errors } = await askGraphql(server, EVERYTHING, { n });
      costs.set(n, counted.total());
      expect(errors).toEqual([]);
      const sessions = Array.isArray(data.agentSessions) ? data.agentSessions.map(Object) : [];
      expect(sessions).toHaveLength(n);
      for (const session of sessions) expect(session).toEqual(expectedOf(session.sessionId));
    }
    expect(costs.get(50)).toBe(costs.get(1));
    expect(costs.get(5)).toBe(costs.get(1));
    // The token and its person, shares, the list, large metadata, owners, rows and events of turns, artifacts,
    // checkpoints, tasks.
    expect(costs.get(50)).toBeLessThanOrEqual(12);
  });

  it("shows no data of another owner, for any ids", async () => {
    const stores: StreamStore[] = [];
    const server = await openServer({
      wrap: (store) => {
        stores.push(store);
        return store;
      },
    });
    await fill(server, 1);
    const { entity_id: id } = await server.service.call("get", { id: "session-1" }, CALLER);
    const [store] = stores;
    if (!store) throw new Error("no store");
    const page = [{ id, limit: 5 }];
    const { turns, artifacts, checkpoints, tasks } = readDetails(store);
    const readBy = async (owner: string) => [
      ...(await turns(owner, page)),
      ...(await artifacts(owner, page)),
      ...(await checkpoints(owner, page)),
      await tasks(owner, ["task-1"]),
    ];
    expect(await readBy("ann")).toMatchObject([
      [{ turn_id: "t1-1" }, { turn_id: "t1-2" }],
      [{ name: "file-1" }],
      [{ name: "saved-1" }],
      [{ title: "Task 1" }],
    ]);
    expect(await readBy("bob")).toEqual([[], [], [], [null]]);
  });
});

async function fill({ service }: TestServer, n: number): Promise<void> {
  const id = `session-${n}`;
  const task_id = `task-${n}`;
  await service.call("add_task", { task_id, title: `Task ${n}` }, CALLER);
  const metadata = { large: `${n}`.padEnd(500, "x") };
  await service.call("create", { session_id: id, agent_name: "a", task_id, metadata }, CALLER);
  for (const turn of [1, 2]) {
    const said = { id, turn_id: `t${n}-${turn}`, input: `in ${n}`, output: `out ${turn}` };
    await service.call("record_turn", said, CALLER);
  }
  await service.call("save_checkpoint", { id, name: `saved-${n}`, state: {} }, CALLER);
  await service.call("record_artifact", { id, name: `file-${n}` }, CALLER);
}

function expectedOf(sessionId: unknown) {
  const n = String(sessionId).split("-")[1];
  return {
    sessionId: `session-${n}`,
    metadata: { large: `${n}`.padEnd(500, "x") },
    history: [1, 2].map((turn) => ({
      turnId: `t${n}-${turn}`,
      input: `in ${n}`,
      output: `out ${turn}`,
    })),
    artifacts: [{ name: `file-${n}` }],
    checkpoints: [{ name: `saved-${n}` }],
    task: { title: `Task ${n}` },
  };
}
