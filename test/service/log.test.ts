import { describe, expect, it } from "vitest";
import { createService } from "../../src/compose-service.ts";
import type { BelayService } from "../../src/service/belay-service.ts";
import { newId } from "../../src/service/new-id.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import type { EventRange } from "../../src/store/stream-store.ts";
import { as, onMemory, START } from "./on-memory.ts";

const caller = as("ann", "cli");

async function recordTurns(service: BelayService, id: string, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    await service.call("record_turn", { id, input: `q${n}`, output: `a${n}` }, caller);
  }
}

/** Every page from the end to the start. */
async function readBack(service: BelayService, id: string, limit: number) {
  const pages: number[][] = [];
  let before: number | null = Number.MAX_SAFE_INTEGER;
  while (before !== null) {
    const page: Awaited<ReturnType<typeof readLog>> = await readLog(service, { id, before, limit });
    pages.push(page.seqs);
    before = page.next_cursor;
  }
  return pages;
}

async function readLog(
  service: BelayService,
  input: { id: string; before?: number; after?: number; limit?: number },
) {
  const { events, next_cursor } = await service.call("log", input, caller);
  return { seqs: events.map(({ seq }) => seq), next_cursor };
}

describe("a log that is read from its end", () => {
  it.each([1, 2, 3, 5, 100])("has every event once in pages of %i", async (limit) => {
    const { service } = onMemory();
    const { session_id: id } = await service.call("create", { agent_name: "a" }, caller);
    await recordTurns(service, id, 4);
    const all = (await readLog(service, { id })).seqs;
    const pages = await readBack(service, id, limit);
    expect(pages.toReversed().flat()).toEqual(all);
    expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
  });

  it("ends before the given seq, and returns the next position", async () => {
    const { service } = onMemory();
    const { session_id: id } = await service.call("create", { agent_name: "a" }, caller);
    await recordTurns(service, id, 6);
    expect(await readLog(service, { id, before: 6, limit: 2 })).toEqual({
      seqs: [4, 5],
      next_cursor: 4,
    });
    expect(await readLog(service, { id, before: 4, limit: 3 })).toEqual({
      seqs: [1, 2, 3],
      next_cursor: null,
    });
    expect(await readLog(service, { id, before: 1 })).toEqual({ seqs: [], next_cursor: null });
    // Without after, it starts at the beginning.
    expect((await readLog(service, { id, before: 3, after: 0 })).seqs).toEqual([1, 2]);
  });

  it("includes inherited events of a fork, and reads only those on the page", async () => {
    const store = openMemoryStore();
    const asked: EventRange[] = [];
    const service = createService({
      store: {
        ...store,
        async read(reads, bytes) {
          asked.push(...reads.flatMap(({ events = [] }) => events));
          return store.read(reads, bytes);
        },
      },
      now: () => START,
      newId,
    });
    const { session_id: id } = await service.call("create", { agent_name: "a" }, caller);
    await recordTurns(service, id, 20);
    const { session_id: fork } = await service.call("fork", { id, at: 12 }, caller);
    await recordTurns(service, fork, 2);
    const all = (await readLog(service, { id: fork })).seqs;
    expect((await readBack(service, fork, 4)).toReversed().flat()).toEqual(all);
    asked.length = 0;
    const page = await readLog(service, { id: fork, before: 14, limit: 4 });
    expect(page).toEqual({ seqs: [10, 11, 12, 13], next_cursor: 10 });
    expect(asked).toMatchObject([{ before: 14, limit: 4 }]);
  });

  it("refuses to read from both ends at once", async () => {
    const { service } = onMemory();
    const { session_id: id } = await service.call("create", { agent_name: "a" }, caller);
    await expect(readLog(service, { id, after: 1, before: 3 })).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("either after or before"),
    });
  });
});
