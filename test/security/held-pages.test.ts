import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { createService } from "../../src/compose-service.ts";
import { LIMITS } from "../../src/contract/limits.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import type { StreamStore } from "../../src/store/stream-store.ts";
import { as } from "../service/on-memory.ts";

setFlagsFromString("--expose-gc");
const collect: unknown = runInNewContext("gc");

/** Counts the large events of earlier reads that cannot be collected when the next read starts. */
function countingStore() {
  const store = openMemoryStore();
  const seen: WeakRef<object>[] = [];
  const counts = { reads: 0, held: 0 };
  const counting: StreamStore = {
    ...store,
    async read(reads, bytes) {
      await new Promise(setImmediate);
      if (typeof collect === "function") collect();
      counts.held = Math.max(counts.held, seen.filter((ref) => ref.deref()).length);
      // Copies, because the store itself holds its events.
      const parts = structuredClone(await store.read(reads, bytes));
      for (const event of parts.flatMap((part) => part?.events.flat() ?? [])) {
        const { data } = event;
        if (typeof data === "object" && data !== null && "output" in data) {
          seen.push(new WeakRef(data));
          counts.reads += 1;
        }
      }
      return parts;
    },
  };
  return { counting, counts };
}

it.each(["spans", "preview_link"] as const)(
  "%s holds no page while it reads the next one",
  async (name) => {
    const { counting, counts } = countingStore();
    const service = createService({
      store: counting,
      now: Date.now,
      newId: () => crypto.randomUUID(),
    });
    const caller = as("ann", "library");
    const id = "long-1";
    const { entity_id } = await service.call("create", { agent_name: "a", session_id: id }, caller);
    const output = "a word ".repeat(LIMITS.PAGE_BYTES / 14);
    for (let n = 0; n < 4; n += 1) {
      await service.call("record_turn", { id, input: "a", output }, caller);
    }
    if (name === "spans") await service.call(name, { entity_id, limit: 100 }, caller);
    else await service.call(name, { id }, caller);
    expect(counts.reads).toBeGreaterThanOrEqual(4);
    expect(counts.held).toBe(0);
  },
);
