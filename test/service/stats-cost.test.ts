import { expect, it } from "vitest";
import { createService } from "../../src/compose-service.ts";
import { newId } from "../../src/service/new-id.ts";
import { countAhead } from "../../src/service/read/counted-sessions.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import type { StreamStore } from "../../src/store/stream-store.ts";
import { as } from "./on-memory.ts";

const caller = as("ann", "cli");

/** A service that counts how often heads are read, one by one or in lists. */
function counting() {
  const store = openMemoryStore();
  const read = { heads: 0 };
  const counted: StreamStore = {
    ...store,
    async list(query) {
      const page = await store.list(query);
      read.heads += page.streams.length;
      return page;
    },
    async read(reads, bytes) {
      read.heads += reads.length;
      return store.read(reads, bytes);
    },
  };
  const service = createService({ store: counted, now: Date.now, newId });
  return { store, counted, read, service };
}

it("counts sessions again without reading unchanged ones", async () => {
  const { store, counted, read, service } = counting();
  const stats = (input = {}) => service.call("stats", input, caller);
  for (let n = 0; n < 300; n += 1) {
    const agent_name = n % 3 === 0 ? "three" : "other";
    await service.call("create", { agent_name, session_id: `counted-${n}` }, caller);
  }
  expect((await stats()).total.sessions).toBe(300);

  read.heads = 0;
  expect((await stats()).total.sessions).toBe(300);
  expect((await stats({ agent: "three" })).total.sessions).toBe(100);
  expect(read.heads).toBe(0);

  await service.call("finalize", { id: "counted-7", outcome: "completed" }, caller);
  await service.call("delete", { id: "counted-8" }, caller);
  await service.call("create", { agent_name: "new", session_id: "counted-new" }, caller);
  read.heads = 0;
  const changed = await stats();
  expect(changed.total).toMatchObject({ sessions: 300, by_status: { completed: 1 } });
  expect(changed.by_agent.new?.sessions).toBe(1);
  expect(read.heads).toBeLessThanOrEqual(3);

  // Control: a service without a cache reads every session again.
  read.heads = 0;
  await createService({ store: { ...counted }, now: Date.now, newId }).call("stats", {}, caller);
  expect(read.heads).toBeGreaterThanOrEqual(300);

  // Another process on the same data sees the same; a purge is noticed although it leaves no event.
  const other = createService({ store, now: Date.now, newId });
  expect(await other.call("stats", {}, caller)).toEqual(changed);
  const [gone] = (
    await store.list({ kind: "session", owner: "ann", filter: { agent: "new" }, limit: 1 })
  ).streams;
  await store.purge(gone?.id ?? "", Date.now());
  expect((await stats()).total.sessions).toBe(299);
  expect((await service.call("stats", {}, as("bob", "cli"))).total.sessions).toBe(0);
});

it("reads no session for the first statistics of a server that has counted ahead", async () => {
  const { counted, read, service } = counting();
  for (let n = 0; n < 20; n += 1) {
    await service.call("create", { agent_name: "a", session_id: `ahead-${n}` }, caller);
  }
  read.heads = 0;
  await countAhead(counted, "ann");
  expect(read.heads).toBe(20);
  expect((await service.call("stats", {}, caller)).total.sessions).toBe(20);
  expect(read.heads).toBe(20);
});

it("also caches for a token with scope record, and counts only its own sessions", async () => {
  const { read, service } = counting();
  const recorder = { ...caller, scope: "record", token_id: "token-1" } as const;
  for (let n = 0; n < 50; n += 1) {
    const by = n % 2 === 0 ? recorder : caller;
    await service.call("create", { agent_name: "a", session_id: `recorded-${n}` }, by);
  }
  const sessions = async () => (await service.call("stats", {}, recorder)).total.sessions;
  // The second reads all sessions of the owner once, to find purged ones.
  for (let n = 0; n < 2; n += 1) expect(await sessions()).toBe(25);
  read.heads = 0;
  expect(await sessions()).toBe(25);
  expect((await service.call("count", {}, recorder)).by_status.created).toBe(25);
  expect(read.heads).toBe(0);
  await service.call("create", { agent_name: "a", session_id: "recorded-more" }, recorder);
  await service.call("create", { agent_name: "a", session_id: "of-another" }, caller);
  read.heads = 0;
  expect(await sessions()).toBe(26);
  expect(read.heads).toBeLessThan(10);
  const other = { ...recorder, token_id: "token-2" };
  expect((await service.call("stats", {}, other)).total.sessions).toBe(0);
});
