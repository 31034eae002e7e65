import { expect, it } from "vitest";
import { createService } from "../../src/compose-service.ts";
import { recordSighting } from "../../src/integrations/claude/record-sighting.ts";
import { newId } from "../../src/service/new-id.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { as } from "../service/on-memory.ts";

it("a report whose session is purged meanwhile ends no session whose id starts the same", async () => {
  const store = openMemoryStore();
  const parts = { now: Date.now, newId };
  const service = createService({ store, ...parts });
  const ann = as("ann", "hook");
  for (const session_id of ["run-1", "run-10"]) {
    await service.call("create", { agent_name: "a", session_id }, ann);
  }
  const before = await service.call("get", { id: "run-10" }, ann);
  let isPurged = false;
  const purging: typeof store = {
    ...store,
    async read(reads, bytes) {
      const found = await store.read(reads, bytes);
      if (!isPurged) {
        isPurged = true;
        await service.call("delete", { id: "run-1" }, ann);
        await service.call("purge", { id: "run-1" }, ann);
      }
      return found;
    },
  };
  const returned = {
    kind: "returned",
    outcome: "completed",
    output: "",
    summary: null,
    error: null,
    reason: "stop",
  } as const;
  const recorded = recordSighting({ store: purging, ...parts }, "ann", {
    ...{ key: "stop-1", at: Date.now(), actor: "claude", trace_id: null },
    ...{ session_id: "run-1", begin: null, seen: returned },
  });
  await expect(recorded).rejects.toMatchObject({ code: "session_not_found" });
  expect(await service.call("get", { id: "run-10" }, ann)).toEqual(before);
});
