import { describe, expect, it } from "vitest";
import { createService } from "../../src/compose-service.ts";
import { isSessionHead } from "../../src/core/session/known-events.ts";
import { newId } from "../../src/service/new-id.ts";
import type { Caller } from "../../src/service/service-context.ts";
import { verifyStreams } from "../../src/service/verify-streams.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import type { StoredPatch, StreamStore } from "../../src/store/stream-store.ts";

const caller: Caller = { owner: "me", actor: "test", interface: "library", trace_id: null };
const TURNS = 300;
const FORKS = 20;

describe("verifying a session with many forks", () => {
  it("reads the shared history once, not once for each fork", async () => {
    const { store, read } = counting(openMemoryStore());
    await forkOften(store);
    expect(await findingsIn(store)).toEqual([]);
    // A fork costs its own events and at most the 64 since the nearest stored head.
    expect(read()).toBeLessThan(TURNS + FORKS * 80);
  });

  it("control: without stored heads each fork reads the history again", async () => {
    const { store, read } = counting(withoutHeads(openMemoryStore()));
    await forkOften(store);
    expect(await findingsIn(store)).toEqual([]);
    expect(read()).toBeGreaterThan(TURNS + FORKS * 80);
  });

  it("reads it once, also without the parent", async () => {
    const { store, read } = counting(openMemoryStore());
    const parent = await forkOften(store);
    await store.purge(parent, Date.now());
    expect(await findingsIn(store)).toEqual([]);
    expect(read()).toBeLessThan(TURNS + FORKS * 80);
  });

  it("still finds a fork whose own part differs from its log", async () => {
    const { store } = counting(openMemoryStore());
    await forkOften(store);
    const altered: StreamStore = {
      ...store,
      read: async (reads, bytes) =>
        (await store.read(reads, bytes)).map(
          (part, n) =>
            part && {
              ...part,
              rows: part.rows.map((patches, nth) =>
                reads[n]?.rows?.[nth]?.kind === "turn" ? patches.map(alterOwn) : patches,
              ),
            },
        ),
    };
    expect(await findingsIn(altered)).toContain("the index of turns does not match the log");
    const older: StreamStore = {
      ...store,
      async list(query) {
        const page = await store.list(query);
        const streams = page.streams.map((stream) =>
          isSessionHead(stream.head) && stream.head.parent
            ? { ...stream, head: { ...stream.head, error_count: 9 } }
            : stream,
        );
        return { ...page, streams };
      },
    };
    expect(await findingsIn(older)).toContain("the head does not match the log");
  });
});

describe("verifying a session that is written meanwhile", () => {
  it("finds nothing wrong", async () => {
    const store = openMemoryStore();
    const service = createService({ store, now: Date.now, newId });
    const { session_id: id } = await service.call("create", { agent_name: "a" }, caller);
    const record = () =>
      service.call("record_turn", { id, input: "go on", output: "done" }, caller);
    await record();
    const written: StreamStore = {
      ...store,
      async list(query) {
        const page = await store.list(query);
        await record();
        return page;
      },
    };
    expect(await findingsIn(written)).toEqual([]);
    expect(await findingsIn(store)).toEqual([]);
  });
});

describe("verifying a session of many pages", () => {
  it("compares the items of every page, and finds one that differs in any of them", async () => {
    const store = openMemoryStore();
    const service = createService({ store, now: Date.now, newId });
    const { session_id: id } = await service.call("create", { agent_name: "a" }, caller);
    for (let nth = 0; nth < 700; nth += 1) {
      await service.call("record_turn", { id, input: `${nth}`, output: "done" }, caller);
    }
    expect(await findingsIn(store)).toEqual([]);
    const alteredAt = (at: number): StreamStore => ({
      ...store,
      read: async (reads, bytes) =>
        (await store.read(reads, bytes)).map(
          (part) =>
            part && {
              ...part,
              rows: part.rows.map((patches) =>
                patches.map((patch) =>
                  patch.place === at ? { ...patch, data: { ...patch.data, altered: true } } : patch,
                ),
              ),
            },
        ),
    });
    const [part] = await store.read([
      { ref: { kind: "session", owner: "me", key: id }, rows: [{ kind: "turn" }] },
    ]);
    const places = part?.rows[0]?.map(({ place }) => place) ?? [];
    expect(places.at(-1)).toBeGreaterThan(500);
    for (const at of [places[0] ?? 0, places[350] ?? 0, places.at(-1) ?? 0]) {
      expect(await findingsIn(alteredAt(at))).toContain(
        "the index of turns does not match the log",
      );
    }
  });
});

function alterOwn(patch: StoredPatch): StoredPatch {
  return patch.place > TURNS + 4 ? { ...patch, data: { ...patch.data, altered: true } } : patch;
}

/** A long session with an open action, and forks of it that continue. Returns the parent's entity id. */
async function forkOften(store: StreamStore): Promise<string> {
  const service = createService({ store, now: Date.now, newId });
  const { session_id: id, entity_id } = await service.call("create", { agent_name: "a" }, caller);
  for (let nth = 0; nth < TURNS; nth += 1) {
    await service.call("record_turn", { id, input: `${nth}`, output: "done" }, caller);
  }
  await service.call("begin_action", { id, type: "build" }, caller);
  for (let nth = 0; nth < FORKS; nth += 1) {
    const fork = await service.call("fork", { id }, caller);
    const own = { id: fork.session_id, input: "more", output: "done" };
    await service.call("record_turn", own, caller);
  }
  return entity_id;
}

function withoutHeads(store: StreamStore): StreamStore {
  return {
    ...store,
    read: async (reads, bytes) =>
      (await store.read(reads, bytes)).map(
        (part) => part && { ...part, heads: part.heads.map(() => undefined) },
      ),
  };
}

function counting(inner: StreamStore): { readonly store: StreamStore; read(): number } {
  let events = 0;
  const store: StreamStore = {
    ...inner,
    async read(reads, bytes) {
      const parts = await inner.read(reads, bytes);
      events += parts.flatMap((part) => part?.events ?? []).flat().length;
      return parts;
    },
  };
  return { store, read: () => events };
}

async function findingsIn(store: StreamStore): Promise<string[]> {
  const found: string[] = [];
  for await (const { what } of verifyStreams(store)) found.push(what);
  return found;
}
