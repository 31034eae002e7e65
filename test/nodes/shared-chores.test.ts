import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Registry } from "prom-client";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { createContext } from "../../src/compose-context.ts";
import { startChores } from "../../src/server/chores/chores.ts";
import { serverChores } from "../../src/server/chores/server-chores.ts";
import { createCluster } from "../../src/server/nodes/create-cluster.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import { createPostgres } from "../postgres/postgres-server.ts";
import { query } from "../postgres/scene-databases.ts";
import { until } from "../run/run-parts.ts";

const server = await createPostgres();
await server.start();
const url = server.urlOf("postgres");
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  await query(url, "DELETE FROM belay.nodes");
});
afterAll(() => server.remove());

const SERVER = { owner: "local", actor: "belay", interface: "api", trace_id: null } as const;
const log = { debug() {}, info() {}, error() {} };

/** The parts of a server that share chores with other nodes, and the chores that it ran. */
async function startNode() {
  const home = mkdtempSync(join(tmpdir(), "belay-node-"));
  ends.push(() => rmSync(home, { recursive: true }));
  const store = await openPostgresStore({ url, isAlive: () => null, leaseMs: 60_000 });
  ends.push(() => store.close());
  const context = createContext(store);
  let id = "";
  const runner = {
    room: () => 1,
    takeOver: async () => {},
    join: (membership: { readonly id: string }) => {
      id = membership.id;
    },
    connect: () => {},
    wakeDue: async () => 0,
    driveWaiting: async () => ({ driven: 0, refused: [] }),
    reap: async () => 0,
    endRefused: async () => 0,
  };
  const cluster = createCluster(context, runner, new Registry(), log, () => {});
  if (!store.nodes) throw new Error("the store has no nodes");
  await cluster.join(home, SERVER, store.nodes);
  const ran: string[] = [];
  const own = serverChores({ context, runner, owner: "local" });
  const counted = own.map((chore) => ({
    ...chore,
    run: (signal: AbortSignal) => {
      ran.push(chore.name);
      return chore.run(signal);
    },
  }));
  const chores = cluster.share(counted);
  const start = () => {
    const running = startChores(chores, { log, observe() {} });
    ends.push(() => running.stop());
    cluster.onGone((names) => running.hurry(names));
  };
  const runAll = async () => {
    for (const chore of chores) await chore.run(new AbortController().signal);
    return ran.splice(0);
  };
  return { id, cluster, ran, runAll, start };
}

type Node = Awaited<ReturnType<typeof startNode>>;

const SHARED = ["recovery", "wake", "queue", "retention"];
const OWN = ["reap", "refused"];
const silence = ({ id }: Node) =>
  query(url, `UPDATE belay.nodes SET renewed = renewed - ttl WHERE id = '${id}'`);

describe("recovery, waking, the queue and retention", () => {
  it("run on one node until it releases them or is gone; what concerns one node runs on each", async () => {
    const [one, other] = [await startNode(), await startNode()];
    expect(new Set(await one.runAll())).toEqual(new Set([...SHARED, ...OWN]));
    for (const _ of [1, 2]) {
      expect(await other.runAll()).toEqual(OWN);
      expect(await one.runAll()).toHaveLength(6);
    }
    await one.cluster.release();
    expect(await other.runAll()).toHaveLength(6);
    expect(await one.runAll()).toEqual(OWN);
    await silence(other);
    expect(await one.runAll()).toHaveLength(6);
  });

  it("are leased one by one: different nodes may have them", async () => {
    const [one, other] = [await startNode(), await startNode()];
    await one.runAll();
    const [recovery] = SHARED;
    await query(url, `UPDATE belay.streams SET holder = NULL WHERE key = 'chore:${recovery}'`);
    expect(await other.runAll()).toEqual([recovery, ...OWN]);
    expect(await one.runAll()).toEqual(["wake", "queue", "reap", "refused", "retention"]);
  });

  it("do not delay a takeover: if the node with the recovery hangs, another recovers", async () => {
    const [hung, gone, heir] = [await startNode(), await startNode(), await startNode()];
    await hung.runAll();
    heir.start();
    await until("its own chores", () => heir.ran.includes("reap"));
    expect(heir.ran).not.toContain("recovery");
    await silence(gone);
    await until("the recovery", () => heir.ran.includes("recovery"), 5000);
    expect(heir.ran).not.toContain("retention");
  });

  it("are done for a node that registered again before others noticed that it was gone", async () => {
    const [one, heir] = [await startNode(), await startNode()];
    await heir.runAll();
    heir.start();
    await until("a first sweep", () => heir.ran.includes("recovery"));
    heir.ran.length = 0;
    const again = "UPDATE belay.nodes SET epoch = nextval('belay.node_epochs')";
    await query(url, `${again} WHERE id = '${one.id}'`);
    await until("the recovery", () => heir.ran.includes("recovery"), 5000);
  });
});
