import { expect, it } from "vitest";
import { createService } from "../../src/compose-service.ts";
import { SESSION_LISTING } from "../../src/contract/stream.ts";
import { identifyHolder } from "../../src/process/process-identity.ts";
import type { BelayService } from "../../src/service/belay-service.ts";
import { newId } from "../../src/service/new-id.ts";
import { SEALED_LIMITS } from "../../src/store/append-rules.ts";
import { acquireLease } from "../../src/store/leases.ts";
import { createBacking } from "../../src/store/memory/memory-backing.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { KeyRing } from "../../src/store/sealed/key-ring.ts";
import { toMasterKey } from "../../src/store/sealed/master-key.ts";
import { sealedStore } from "../../src/store/sealed/sealed-store.ts";
import { as, onMemory } from "./on-memory.ts";

const ANN = as("ann", "cli");
const SECRET = "the-secret-of-ann";
const NOT_FOUND = { code: "session_not_found" };

async function createSession(service: BelayService, session_id: string) {
  const created = await service.call("create", { agent_name: "a", session_id }, ANN);
  await service.call("record_turn", { id: session_id, input: SECRET, output: SECRET }, ANN);
  return created;
}

it("purge removes a session from the trash at once, and only from there", async () => {
  const { service } = onMemory();
  await createSession(service, "leaked");
  const purge = () => service.call("purge", { id: "leaked" }, ANN);
  await expect(purge()).rejects.toMatchObject({
    code: "session_not_deleted",
    message: "leaked is not in the trash. Delete it first, then purge it.",
  });
  await service.call("delete", { id: "leaked" }, ANN);
  expect(await purge()).toEqual({
    purged: ["leaked"],
    shared: [],
    not_covered: ["backups", "agent_transcripts"],
  });
  await expect(service.call("get", { id: "leaked" }, ANN)).rejects.toMatchObject(NOT_FOUND);
  const { events } = await service.call("events", {}, ANN);
  expect(JSON.stringify(events)).not.toContain(SECRET);
  const audit = await service.call("audit", {}, ANN);
  expect(audit.events.map(({ type }) => type)).toContain("session.purged");
  await expect(purge()).rejects.toMatchObject(NOT_FOUND);
});

it("a repeated purge does not purge another session whose id starts the same", async () => {
  const { service } = onMemory();
  for (const id of ["run-1", "run-10"]) {
    await createSession(service, id);
    await service.call("delete", { id }, ANN);
  }
  await service.call("purge", { id: "run-1" }, ANN);
  await expect(service.call("purge", { id: "run-1" }, ANN)).rejects.toMatchObject(NOT_FOUND);
  expect(await service.call("get", { id: "run-10" }, ANN)).toBeDefined();
});

it("purge is refused while a process runs the session, or a merge contains its turns", async () => {
  const { service, store } = onMemory();
  const { entity_id } = await createSession(service, "driven");
  await acquireLease(store, entity_id, identifyHolder("another"));
  await service.call("delete", { id: "driven" }, ANN);
  await createSession(service, "origin");
  await service.call("fork", { id: "origin", session_id: "merged" }, ANN);
  await service.call("record_turn", { id: "merged", input: "i", output: "o" }, ANN);
  await service.call("merge", { id: "merged" }, ANN);
  await service.call("delete", { id: "merged" }, ANN);
  for (const id of ["driven", "merged"]) {
    const held = { code: "session_held" };
    await expect(service.call("purge", { id }, ANN)).rejects.toMatchObject(held);
    expect(await service.call("get", { id }, ANN)).toBeDefined();
  }
});

it("a session that is restored while it is purged stays, with everything that was recorded in it since", async () => {
  const lab = onMemory();
  await createSession(lab.service, "kept-1");
  await lab.service.call("delete", { id: "kept-1" }, ANN);
  const racing = createService({
    ...lab,
    newId,
    store: {
      ...lab.store,
      async purge(...asked) {
        await lab.service.call("undelete", { id: "kept-1" }, ANN);
        await lab.service.call("record_turn", { id: "kept-1", input: "late", output: "o" }, ANN);
        await lab.store.purge(...asked);
      },
    },
  });
  const purged = racing.call("purge", { id: "kept-1" }, ANN);
  await expect(purged).rejects.toMatchObject({ code: "session_not_deleted" });
  const { turns } = await lab.service.call("turns", { id: "kept-1" }, ANN);
  expect(turns.map(({ input }) => input)).toEqual([SECRET, "late"]);
  // A later purge is one more entry.
  await lab.service.call("delete", { id: "kept-1" }, ANN);
  await lab.service.call("purge", { id: "kept-1" }, ANN);
  const { events } = await lab.service.call("audit", {}, ANN);
  expect(events.filter(({ type }) => type === "session.purged").length).toBe(2);
});

it("a purge of a session that another purge has removed meanwhile says that it does not exist", async () => {
  const lab = onMemory();
  await createSession(lab.service, "twice");
  await lab.service.call("delete", { id: "twice" }, ANN);
  let isPurged = false;
  const racing = createService({
    ...lab,
    newId,
    store: {
      ...lab.store,
      async findByName(...asked) {
        // The forks are looked for after the session was found and checked.
        if (asked[1].startsWith("fork") && !isPurged) {
          isPurged = true;
          await lab.service.call("purge", { id: "twice" }, ANN);
        }
        return lab.store.findByName(...asked);
      },
    },
  });
  const second = racing.call("purge", { id: "twice" }, ANN);
  await expect(second).rejects.toMatchObject(NOT_FOUND);
  expect(isPurged).toBe(true);
});

it("an editor cannot purge, neither before nor after the owner deletes the session", async () => {
  const { service } = onMemory();
  await createSession(service, "anns-1");
  await service.call("add_person", { name: "bob" }, ANN);
  await service.call("share", { id: "anns-1", with: "bob", role: "editor" }, ANN);
  const purge = () => service.call("purge", { id: "ann/anns-1" }, { ...as("bob", "api") });
  await expect(purge()).rejects.toMatchObject({ code: "not_allowed" });
  await service.call("delete", { id: "anns-1" }, ANN);
  await expect(purge()).rejects.toMatchObject(NOT_FOUND);
  expect(await service.call("purge", { id: "ann/anns-1" }, ANN)).toMatchObject({
    purged: ["anns-1"],
  });
});

it("purge names the forks that still contain events, and destroys the keys of both with the last one", async () => {
  const shared = createBacking();
  const inner = openMemoryStore({ shared, limits: SEALED_LIMITS });
  const load = async () => [toMasterKey(Buffer.alloc(32, 1))];
  const ring = await KeyRing.create(inner, { load, declared: SESSION_LISTING });
  const store = sealedStore(inner, ring, SESSION_LISTING);
  const service = createService({ store, now: () => Date.now(), newId });
  const sessionKeys = () =>
    [...shared.streams.values()].filter(({ kind, key }) => kind === "key" && !key.includes("."));

  await createSession(service, "origin");
  await service.call("fork", { id: "origin", session_id: "copy-1" }, ANN);
  await service.call("delete", { id: "origin" }, ANN);
  expect((await service.call("purge", { id: "origin" }, ANN)).shared).toEqual([
    { session_id: "origin", forks: ["copy-1"] },
  ]);
  expect((await service.call("turns", { id: "copy-1" }, ANN)).turns[0]?.input).toBe(SECRET);
  const before = sessionKeys().length;
  await service.call("delete", { id: "copy-1" }, ANN);
  expect((await service.call("purge", { id: "copy-1" }, ANN)).shared).toEqual([]);
  expect(sessionKeys()).toHaveLength(before - 2);
});
