import { randomBytes } from "node:crypto";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { createContext } from "../../src/compose-context.ts";
import { createService } from "../../src/compose-service.ts";
import { SESSION_LISTING } from "../../src/contract/stream.ts";
import { NodeRouting } from "../../src/drive/run/node-routing.ts";
import { shareChores } from "../../src/server/chores/share-chores.ts";
import { newId } from "../../src/service/new-id.ts";
import { startLeaseRenewal } from "../../src/service/start-lease-renewal.ts";
import { begin, idOf, keep, moreLines } from "../../src/store/conformance/notebook.ts";
import { acquireLease, renewLease } from "../../src/store/leases.ts";
import type { NodeListener } from "../../src/store/node-registry.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import { loadStream } from "../../src/store/read-streams.ts";
import { KeyRing } from "../../src/store/sealed/key-ring.ts";
import { toMasterKey } from "../../src/store/sealed/master-key.ts";
import { sealedStore } from "../../src/store/sealed/sealed-store.ts";
import type { CheckHolder, GrantedLease, StreamStore } from "../../src/store/stream-store.ts";
import { describeExpiringValues } from "../nodes/describe-expiring-values.ts";
import { openProxy } from "./postgres-proxy.ts";
import { createPostgres } from "./postgres-server.ts";
import { query } from "./scene-databases.ts";

const server = await createPostgres();
await server.start();
afterAll(() => server.remove());
const url = server.urlOf("postgres");

const shared = await openPostgresStore({ url, isAlive: () => null });
afterAll(() => shared.close());

const open = new Set<StreamStore>();
afterEach(async () => {
  for (const store of open) await store.close();
  open.clear();
  await query(url, "DELETE FROM belay.nodes");
});

let streams = 0;
const nextId = () => {
  streams += 1;
  return idOf(streams);
};

async function openStore(isAlive: CheckHolder = () => null, leaseMs = 60_000) {
  const store = await openPostgresStore({ url, isAlive, leaseMs });
  open.add(store);
  return store;
}

const holderOf = (name: string, pid = 1) => ({ name, pid, start_time: null, boot_id: null });

async function join(store: StreamStore, name: string, given: Partial<NodeListener> = {}, pid = 1) {
  const heard = { onGone: vi.fn(), onLost: vi.fn(), onReplaced: vi.fn(), onCalled: vi.fn() };
  const listener = { room: () => 5, ...heard, ...given };
  const node = { id: name, name, holder: holderOf(name, pid), place: name };
  const membership = await store.nodes?.join(node, listener);
  if (!membership) throw new Error("there are no nodes");
  return { membership, ...listener };
}

async function acquire(store: StreamStore, id: string, name: string): Promise<GrantedLease> {
  const grant = await acquireLease(store, id, holderOf(name));
  if (!grant.granted) throw new Error(`it is held by ${grant.held.holder.name}`);
  return grant;
}

/** As if the node had given no sign for longer than its leases last. */
const silence = (node: string) =>
  query(url, `UPDATE belay.nodes SET renewed = renewed - ttl WHERE id = '${node}'`);

/** Appends a line if the lease stands; answers whether it did. */
async function writeUnder(store: StreamStore, id: string, epoch: number): Promise<boolean> {
  const outcome = await store.transact({
    streams: [{ id }],
    decide: ({ streams: [stream] }) => {
      const isHeld = stream?.lease?.live === true && stream.lease.epoch === epoch;
      return { appends: stream && isHeld ? [moreLines(stream)] : [] };
    },
  });
  return outcome.kind === "committed" && outcome.streams.length > 0;
}

const CHORES = { owner: "local", actor: "belay", interface: "api", trace_id: null } as const;

const registry = shared.nodes;
if (!registry) throw new Error("there are no nodes");
describeExpiringValues(() => ({
  values: registry.values,
  pass: (ms) => query(url, `UPDATE belay.expiring SET until = until - ${ms}`),
  fill: (kind, count) =>
    query(
      url,
      `INSERT INTO belay.expiring (kind, key, value, until)
        SELECT '${kind}', n::text, 'text', belay.now_ms() + 60000 FROM generate_series(1, ${count}) n`,
    ),
}));

describe("a node of a PostgreSQL store", () => {
  it("holds its leases under one registration, and renews only that", async () => {
    const [one, other] = [await openStore(), await openStore()];
    await join(one, "one");
    const ids = [nextId(), nextId()];
    for (const id of ids) await keep(one, begin(id));
    const grants = await Promise.all(ids.map((id) => acquire(one, id, "one")));
    expect(grants.map(({ lapses }) => lapses)).toEqual([true, true]);
    // Older than any lease lasts: only the registration counts.
    await query(url, "UPDATE belay.streams SET renewed = 0");
    for (const id of ids) {
      expect(await loadStream(other, { id })).toMatchObject({ lease: { live: true } });
      expect(await acquireLease(other, id, holderOf("other"))).toMatchObject({ granted: false });
    }
    await silence("one");
    for (const id of ids) {
      expect(await loadStream(other, { id })).toMatchObject({ lease: { live: false } });
      await acquire(other, id, "other");
    }
  });

  it("writes nothing after it was silent for too long", async () => {
    const [one, other] = [await openStore(), await openStore()];
    const { onLost } = await join(one, "one");
    const id = nextId();
    await keep(one, begin(id));
    const { epoch } = await acquire(one, id, "one");
    expect(await writeUnder(one, id, epoch)).toBe(true);
    await silence("one");
    // Nobody has taken it yet, and it is lost all the same.
    expect(await writeUnder(one, id, epoch)).toBe(false);
    expect(await renewLease(one, id, epoch)).toBe(false);
    await vi.waitFor(() => expect(onLost).toHaveBeenCalledTimes(1), 5000);
    expect(await writeUnder(one, id, epoch)).toBe(false);
    const next = await acquire(other, id, "other");
    expect(next.epoch).toBeGreaterThan(epoch);
    expect(await writeUnder(one, id, epoch)).toBe(false);
  });

  it("control: writes after that if the database does not check leases", async () => {
    const one = await openStore();
    const { membership } = await join(one, "one");
    const id = nextId();
    await keep(one, begin(id));
    const { epoch } = await acquire(one, id, "one");
    expect(await writeUnder(one, id, epoch)).toBe(true);
    await membership.leave();
    const [{ sql }] = (await query(url, DEFINITION)).rows;
    const unfenced = `${sql}`.replace("OR c.live IS NOT NULL", "OR false AND c.live IS NOT NULL");
    expect(unfenced).not.toBe(sql);
    await query(url, unfenced);
    try {
      expect(await writeUnder(one, id, epoch)).toBe(true);
    } finally {
      await query(url, sql);
    }
    expect(await writeUnder(one, id, epoch)).toBe(false);
  });

  it("is registered once for a data folder, and replaced when its process is gone", async () => {
    const dead = new Set<number>();
    const isAlive: CheckHolder = ({ pid }) => (dead.has(pid) ? false : null);
    const [one, again, third] = [
      await openStore(isAlive),
      await openStore(isAlive),
      await openStore(isAlive),
    ];
    await join(one, "one", {}, 7);
    await expect(join(again, "one", {}, 8)).rejects.toMatchObject({ code: "server_running" });
    dead.add(7);
    const { onReplaced } = await join(again, "one", {}, 8);
    // It may register anew before the third does.
    await vi.waitFor(async () => {
      await silence("one");
      await join(third, "one", {}, 9);
    }, 5000);
    await vi.waitFor(() => expect(onReplaced).toHaveBeenCalledTimes(1), 5000);
  });

  it("sees that another node is gone, receives requests, and knows the free slots", async () => {
    const [one, other] = [await openStore(), await openStore()];
    const first = await join(one, "one");
    const second = await join(other, "other", { room: () => 3 });
    const rooms = () => first.membership.nodes().map(({ id, room, live }) => [id, room, live]);
    const both = [
      ["one", 5, true],
      ["other", 3, true],
    ];
    await vi.waitFor(() => expect(rooms()).toEqual(both), 5000);
    await first.membership.call("other", idOf(9));
    await vi.waitFor(() => expect(second.onCalled).toHaveBeenCalledWith([idOf(9)]), 5000);
    await second.membership.leave();
    await vi.waitFor(() => expect(first.onGone).toHaveBeenCalledTimes(1), 5000);
    expect(first.onGone).toHaveBeenCalledWith(expect.objectContaining({ id: "other" }));
  });

  it("shares a secret with the others, which the database does not contain if the data is encrypted", async () => {
    const [one, other] = [await openStore(), await openStore()];
    const plain = await one.nodes?.readSecret();
    expect(plain).toHaveLength(32);
    expect(await other.nodes?.readSecret()).toEqual(plain);
    const master = toMasterKey(randomBytes(32));
    const options = { load: async () => [master], declared: SESSION_LISTING };
    const sealed = sealedStore(one, await KeyRing.create(one, options), SESSION_LISTING);
    const secret = Buffer.from((await sealed.nodes?.readSecret()) ?? []);
    expect(secret).toHaveLength(32);
    expect(secret).not.toEqual(plain);
    const { rows } = await query(url, "SELECT m::text AS kept FROM belay.meta m");
    expect(JSON.stringify(rows)).not.toContain(secret.toString("hex"));
  });

  it("never gives an account to a second person at the same time as another node", async () => {
    const services = await Promise.all(
      [1, 2].map(async () => createService({ store: await openStore(), now: Date.now, newId })),
    );
    const caller = { owner: "ann", actor: "ann", interface: "library", trace_id: null } as const;
    const added = await Promise.allSettled(
      Array.from({ length: 8 }, async (_, n) => {
        const input = { name: `person-${n}`, identities: ["https://id.example#42"] };
        await services[n % 2]?.call("add_person", input, caller);
      }),
    );
    expect(added.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  it("uses the time of the database, even if its own clock is ten minutes wrong", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 600_000 });
    try {
      const store = await openStore();
      await join(store, "one");
      const { rows } = await query(url, "SELECT belay.now_ms() AS now");
      expect(Math.abs(Date.now() - rows[0].now)).toBeGreaterThan(300_000);
      expect(Math.abs(createContext(store).now() - rows[0].now)).toBeLessThan(60_000);
    } finally {
      vi.useRealTimers();
    }
  });

  it("runs a chore alone until it releases it or is gone", async () => {
    const [one, other] = [await openStore(), await openStore()];
    const first = await join(one, "one");
    await join(other, "other");
    const runs: string[] = [];
    const shareAs = (store: StreamStore, name: string) => {
      const shared = shareChores(createContext(store), () => CHORES);
      const run = async () => {
        runs.push(name);
        return { counts: {} };
      };
      const chore = shared.share({ name: "sweep", every_ms: 1000, run });
      return { shared, work: () => chore.run(new AbortController().signal) };
    };
    const [a, b] = [shareAs(one, "one"), shareAs(other, "other")];
    await Promise.all([a.work(), b.work()]);
    const [holder = ""] = runs;
    expect(runs).toEqual([holder]);
    for (const _ of [1, 2, 3]) await Promise.all([a.work(), b.work()]);
    expect(runs).toEqual(Array.from({ length: 4 }, () => holder));
    // Released, it passes to the other; and back when that one is silent for too long.
    await (holder === "one" ? a : b).shared.release();
    await (holder === "one" ? b : a).work();
    const next = holder === "one" ? "other" : "one";
    expect(runs.at(-1)).toBe(next);
    await silence(next);
    await (holder === "one" ? a : b).work();
    expect(runs.at(-1)).toBe(holder);
    await first.membership.leave();
  });

  it("keeps an agent on the node with its files while that node lives", async () => {
    const [one, other] = [await openStore(), await openStore()];
    const first = await join(one, "one", { room: () => 1 });
    const second = await join(other, "other", { room: () => 9 });
    const ready = () => expect(second.membership.nodes()).toHaveLength(2);
    await vi.waitFor(ready, 5000);
    const routing = new NodeRouting();
    routing.join(second.membership, "other");
    const reopens = { session_id: "s", reopens: true, place: "one" };
    const headWith = (agent: object) => Object.assign(Object.create(null), { agent });
    expect(routing.choose(headWith(reopens), 9)).toMatchObject({ id: "one" });
    expect(routing.choose(headWith({ ...reopens, reopens: false }), 9)).toBeNull();
    expect(routing.choose(headWith({ ...reopens, place: "other" }), 9)).toBeNull();
    await first.membership.leave();
    await vi.waitFor(() => expect(second.onGone).toHaveBeenCalledTimes(1), 5000);
    expect(routing.choose(headWith(reopens), 9)).toBeNull();
  });

  it("releases a lease as soon as it can, if the database does not answer at first", async () => {
    const proxy = await openProxy(server.port);
    const through = url.replace(`:${server.port}`, `:${proxy.port}`);
    const one = await openPostgresStore({
      url: through,
      isAlive: () => null,
      leaseMs: 60_000,
      busyMs: 300,
    });
    open.add(one);
    const other = await openStore();
    await join(one, "one");
    const id = nextId();
    await keep(one, begin(id));
    const lease = startLeaseRenewal(one, id, await acquire(one, id, "one"));
    proxy.cutAnswers(() => true);
    await expect(lease.release()).rejects.toMatchObject({ code: "storage_unreachable" });
    expect(await loadStream(other, { id })).toMatchObject({ lease: { live: true } });
    proxy.cutAnswers(() => false);
    await vi.waitFor(async () => {
      expect((await loadStream(other, { id }))?.lease?.live ?? false).toBe(false);
    }, 10_000);
    await one.close();
    open.delete(one);
    await proxy.close();
  });

  it("does not start with another lease time than the others have", async () => {
    await join(await openStore(), "one");
    const other = await openStore(() => null, 30_000);
    await expect(join(other, "other")).rejects.toMatchObject({ code: "usage" });
  });
});

const DEFINITION = "SELECT pg_get_functiondef('belay.write_batch'::regproc) AS sql";
