import { expect, it } from "vitest";
import { createService } from "../../src/compose-service.ts";
import { newId } from "../../src/service/new-id.ts";
import type { Caller } from "../../src/service/service-context.ts";
import { verifyStreams } from "../../src/service/verify-streams.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import type { StreamRead, StreamStore } from "../../src/store/stream-store.ts";

const caller: Caller = { owner: "me", actor: "test", interface: "library", trace_id: null };

it.each([
  ["before its log is read", 1],
  ["after a page of its log was read", 2],
])("a session that is purged while it is verified, %s, is not damaged", async (_, nth) => {
  const { store, id } = await openFilled();
  let reads = 0;
  const purging: StreamStore = {
    ...store,
    async read(parts, bytes) {
      if (isOf(id, parts)) reads += 1;
      if (reads === nth) await store.purge(id, Date.now());
      return store.read(parts, bytes);
    },
  };
  expect(await findingsIn(purging)).toEqual([]);
  expect(reads).toBeGreaterThanOrEqual(nth);
});

it("control: a session that is not found by its id, but by its key, is damaged", async () => {
  const { store, id } = await openFilled();
  const damaged: StreamStore = {
    ...store,
    read: async (parts, bytes) =>
      (await store.read(parts, bytes)).map((part, n) =>
        isOf(id, parts.slice(n, n + 1)) ? undefined : part,
      ),
  };
  expect(await findingsIn(damaged)).toEqual(["the log ends before the seq of its head"]);
});

async function openFilled() {
  const store = openMemoryStore();
  const service = createService({ store, now: Date.now, newId });
  const { session_id, entity_id } = await service.call("create", { agent_name: "a" }, caller);
  for (let n = 0; n < 600; n += 1) {
    await service.call("record_turn", { id: session_id, input: "go on", output: "done" }, caller);
  }
  return { store, id: entity_id };
}

function isOf(id: string, parts: readonly StreamRead[]): boolean {
  return parts.some(({ ref }) => "id" in ref && ref.id === id);
}

async function findingsIn(store: StreamStore): Promise<string[]> {
  const found: string[] = [];
  for await (const { what } of verifyStreams(store)) found.push(what);
  return found;
}
