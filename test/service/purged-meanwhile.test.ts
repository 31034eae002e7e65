import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createService } from "../../src/compose-service.ts";
import { newId } from "../../src/service/new-id.ts";
import type { Caller } from "../../src/service/service-context.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import type { StreamRead, StreamStore } from "../../src/store/stream-store.ts";

const caller: Caller = { owner: "me", actor: "test", interface: "library", trace_id: null };
let store: StreamStore;
beforeEach(() => {
  store = openMemoryStore();
});
afterEach(() => store.close());

/** More than the head of a session contains. */
const metadata = Object.fromEntries(
  Array.from({ length: 40 }, (_, n) => [`key-${n}`, `${n} ${"x".repeat(100)}`]),
);

describe("a session that is purged while it is read", () => {
  it("is left out of a list, and hides no other", async () => {
    await create("kept-1", { metadata });
    const purged = await create("purged-1", { metadata });
    await create("kept-2", {});
    const { sessions } = await serviceOn(purging(purged, isMetadata)).call("list", {}, caller);
    expect(sessions.map(({ session_id }) => session_id).sort()).toEqual(["kept-1", "kept-2"]);
    expect(sessions.find(({ session_id }) => session_id === "kept-1")?.metadata).toEqual(metadata);
  });

  it.each([
    ["with more metadata than its head has", { metadata }, isMetadata],
    ["with a long value", { metadata: { long: "x".repeat(1000) } }, hasEvents],
    ["with many phases", {}, isPhases],
  ])("is not found: %s", async (_, given, when) => {
    const id = await create("purged-1", given);
    for (const phase of ["planning", "approval", "executing"] as const) {
      for (const next of ["investigating", phase] as const) {
        await serviceOn(store).call("update", { id: "purged-1", phase: next }, caller);
      }
    }
    const read = serviceOn(purging(id, when)).call("get", { id: "purged-1" }, caller);
    await expect(read).rejects.toMatchObject({ code: "session_not_found" });
  });

  it("control: a session that is not found by its id, but by its key, is damaged", async () => {
    const id = await create("damaged-1", { metadata });
    const damaged: StreamStore = {
      ...store,
      read: async (reads, bytes) =>
        (await store.read(reads, bytes)).map((part, n) => {
          const ref = reads[n]?.ref;
          return ref && "id" in ref && ref.id === id ? undefined : part;
        }),
    };
    await expect(serviceOn(damaged).call("list", {}, caller)).rejects.toMatchObject({
      code: "storage_damaged",
    });
  });
});

async function create(session_id: string, given: object): Promise<string> {
  const made = await serviceOn(store).call(
    "create",
    { agent_name: "a", session_id, ...given },
    caller,
  );
  return made.entity_id;
}

function serviceOn(on: StreamStore) {
  return createService({ store: on, now: Date.now, newId });
}

/** Another process purges the session just before such a read. */
function purging(id: string, when: (read: StreamRead) => boolean): StreamStore {
  return {
    ...store,
    async read(reads, bytes) {
      if (reads.some(when)) await store.purge(id, Date.now());
      return store.read(reads, bytes);
    },
  };
}

function isMetadata({ rows }: StreamRead): boolean {
  return rows?.some(({ kind }) => kind === "metadata") ?? false;
}

function isPhases({ rows }: StreamRead): boolean {
  return rows?.some(({ kind }) => kind === "phase") ?? false;
}

function hasEvents({ events }: StreamRead): boolean {
  return events !== undefined && events.length > 0;
}
