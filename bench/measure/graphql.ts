import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createContext } from "../../src/compose-context.ts";
import { createService } from "../../src/compose-service.ts";
import { createGraphqlDoor } from "../../src/doors/graphql/graphql-door.ts";
import { isAlive } from "../../src/process/process-identity.ts";
import type { BelayService } from "../../src/service/belay-service.ts";
import { readDetails } from "../../src/service/read/read-details.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import type { StreamStore } from "../../src/store/stream-store.ts";
import { measureLoad } from "../http-load.ts";
import type { Lab } from "../lab.ts";
import { record } from "../measurements.ts";
import { authorization, serveBelay } from "../served.ts";

const CALLER = { owner: "local", actor: "bench", interface: "library", trace_id: null } as const;
const FIELDS =
  "sessionId taskId agentName interface state createdAt updatedAt metadata checkpointId title phase";
const ONE = `query ($id: ID!) { agentSession(sessionId: $id) { ${FIELDS} } }`;
const MANY = `{ agentSessions(limit: 50) { ${FIELDS} } }`;
const WHOLE = `query ($n: Int) { agentSessions(limit: $n) {
  ${FIELDS} history { turnId input output } artifacts { name } checkpoints { name } task { title } } }`;

/** P9: the same sessions in GraphQL and over REST, from one server, and the number of reads for a list. */
export async function measureGraphql(lab: Lab): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "belay-bench-"));
  const [one, fifty] = await prepare(home);
  const served = await serveBelay(home);
  const headers = authorization(home);
  const [id] = one.ids;
  const ways = [
    {
      metric: "graphql_get",
      path: `/sessions/${id}`,
      body: { query: ONE, variables: { id } },
    },
    { metric: "graphql_list", path: "/sessions?limit=50", body: { query: MANY } },
  ] as const;
  const [limit, own] = lab.contenders;
  const load = { clients: 16, ms: lab.scale.load.ms };
  try {
    for (let round = -1; round < lab.scale.claimRounds; round++) {
      for (const { metric, path, body } of ways) {
        const rest = await measureLoad(served, path, headers, load);
        const graphql = await measureLoad(served, "/graphql", headers, load, JSON.stringify(body));
        // Both are warm before the first round counts.
        if (round < 0) continue;
        for (const [name, found] of [
          [limit?.name, rest],
          [own?.name, graphql],
        ] as const) {
          record(lab.measurements, name ?? "", `${metric}_rate`, found.rate);
          record(lab.measurements, name ?? "", `${metric}_processor_ms`, found.processor_ms);
        }
      }
    }
    record(lab.measurements, limit?.name ?? "", "graphql_list_reads", one.reads);
    record(lab.measurements, own?.name ?? "", "graphql_list_reads", fifty.reads);
  } finally {
    await served.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Fills a folder with 50 sessions, and counts the reads of a list of one of them and of all. */
async function prepare(home: string) {
  const real = await openSqliteStore({ folder: home, isAlive });
  const counted = { reads: 0 };
  const store = counting(real, counted);
  const service = createService(createContext(store));
  const ids = await Promise.all(Array.from({ length: 50 }, (_, n) => fill(service, n)));
  const unused = (): never => {
    throw new Error("a list runs no agents");
  };
  const door = createGraphqlDoor({
    service,
    details: () => readDetails(store),
    watch: unused,
    awaitTurn: unused,
    expectAgent: unused,
    report: unused,
  });
  const count = async (n: number) => {
    counted.reads = 0;
    const body = { query: WHOLE, variables: { n } };
    const { status } = await door.answer(body, CALLER, new AbortController(), false);
    if (status !== 200) throw new Error(`a list of ${n}: ${status}`);
    return { ids, reads: counted.reads };
  };
  const counts = [await count(1), await count(50)] as const;
  await real.close();
  return counts;
}

async function fill(service: BelayService, n: number): Promise<string> {
  const task_id = `task-${n}`;
  await service.call("add_task", { task_id, title: `Task ${n}` }, CALLER);
  const created = { agent_name: "reader", purpose: "to be read", task_id, metadata: { n } };
  const { session_id: id } = await service.call("create", created, CALLER);
  for (let turn = 0; turn < 10; turn++) {
    await service.call("record_turn", { id, input: "and?", output: "x".repeat(500) }, CALLER);
  }
  await service.call("save_checkpoint", { id, name: "saved", state: { n } }, CALLER);
  await service.call("record_artifact", { id, name: "plan.md" }, CALLER);
  return id;
}

function counting(store: StreamStore, counted: { reads: number }): StreamStore {
  const noted = <Asked extends readonly unknown[], Answer>(read: (...asked: Asked) => Answer) => {
    return (...asked: Asked): Answer => {
      counted.reads += 1;
      return read(...asked);
    };
  };
  return {
    ...store,
    read: noted(store.read),
    list: noted(store.list),
    tally: noted(store.tally),
  };
}
