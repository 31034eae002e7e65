import { afterEach, beforeEach, expect, it } from "vitest";
import { LIMITS } from "../../src/contract/limits.ts";
import { isAlive } from "../../src/process/process-identity.ts";
import { createService } from "../../src/service/belay-service.ts";
import { createContext } from "../../src/service/create-context.ts";
import { defaultOwner } from "../../src/service/home-folder.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { newPlace } from "./run-belay.ts";

let place: ReturnType<typeof newPlace>;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

it("finds sessions by words, however many others were active since", async () => {
  await fill(place.home, LIMITS.SEARCHED + 50);
  const found = await place.belay("list", "--search", "needle HAY", "--json");
  expect(found.json).toMatchObject({ sessions: [{ session_id: "needle-1" }], next_cursor: null });
  const shown = await place.belay("list", "--search", "needle");
  expect(shown.stdout).toContain("needle-1");
  expect(shown.stdout).not.toContain("straw-");
  const some = await place.belay("list", "--search", "straw", "--limit", "7", "--json");
  expect(some.json).toMatchObject({ next_cursor: expect.any(String) });
  expect((await place.belay("list", "--search", "nowhere")).stdout).toContain("No sessions match");
  expect((await place.belay("list", "--search", " ")).code).toBe(2);
}, 60_000);

/** A needle, and after it so much straw. */
async function fill(folder: string, straws: number): Promise<void> {
  const store = await openSqliteStore({ folder, isAlive, synchronous: "OFF" });
  let now = Date.now() - 3_600_000;
  const service = createService({ ...createContext(store), now: () => now });
  const owner = defaultOwner();
  const caller = { owner, actor: "test", interface: "library", trace_id: null } as const;
  const needle = { agent_name: "hay", session_id: "needle-1" };
  await service.call("create", needle, caller);
  now += 600_000;
  await Promise.all(
    Array.from({ length: straws }, (_, n) =>
      service.call("create", { agent_name: "hay", session_id: `straw-${n}` }, caller),
    ),
  );
  await store.close();
}
