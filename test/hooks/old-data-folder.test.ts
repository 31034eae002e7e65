import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { composeHookStore } from "../../src/compose-hooks.ts";
import { loadStream } from "../../src/store/read-streams.ts";
import { writeOldFolder } from "../conformance/old-folder.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "belay-old-data-"));
});
afterEach(() => rmSync(home, { recursive: true }));

it("a hook that only reads is the first process after an update, and finds the sessions", async () => {
  writeOldFolder(home, "schema-7");
  const store = await composeHookStore({ home, busyMs: 1000, readOnly: true });
  const session = await loadStream(store, { kind: "session", owner: "local", key: "idle-1" });
  await store.close();
  expect(session?.seq).toBe(5);
});
