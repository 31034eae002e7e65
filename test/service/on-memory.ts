import { createService } from "../../src/compose-service.ts";
import type { Interface } from "../../src/contract/vocabulary.ts";
import type { Caller } from "../../src/service/service-context.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";

export const START = Date.parse("2026-01-08T18:00:00Z");

/** The service on the memory store, with a clock that only tests move. */
export function onMemory() {
  let now = START;
  let id = 0;
  const store = openMemoryStore();
  const service = createService({
    store,
    now: () => now,
    newId: () => `01990000-0000-7000-8000-${(++id).toString(16).padStart(12, "0")}`,
  });
  return {
    store,
    service,
    now: () => now,
    advance: (ms: number) => {
      now += ms;
    },
    caller: as("ann", "cli"),
  };
}

export function as(owner: string, door: Interface): Caller {
  return { owner, actor: `user:${owner}`, interface: door, trace_id: null };
}

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
