import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { createContext } from "../../src/compose-context.ts";
import { createService } from "../../src/compose-service.ts";
import { isAlive } from "../../src/process/process-identity.ts";
import type { Caller } from "../../src/service/service-context.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";

it("the views of backlog and audit can be read by any SQLite program", async () => {
  const folder = mkdtempSync(join(tmpdir(), "belay-views-"));
  try {
    const store = await openSqliteStore({ folder, isAlive });
    const service = createService(createContext(store));
    const caller: Caller = { owner: "ann", actor: "test", interface: "cli", trace_id: "t-1" };
    await service.call("add_task", { title: "Write it", task_id: "T1", est_hours: 2 }, caller);
    await store.close();
    const database = new DatabaseSync(join(folder, "belay.db"), { readOnly: true });
    try {
      expect({ ...database.prepare("SELECT * FROM backlog").get() }).toMatchObject({
        ...{ id: "T1", owner: "ann", title: "Write it", status: "pending", est_hours: 2 },
      });
      expect({ ...database.prepare("SELECT * FROM audit").get() }).toMatchObject({
        ...{ owner: "ann", kind: "task", key: "T1", seq: 1, event: "task.created" },
        ...{ actor: "test", interface: "cli", trace_id: "t-1" },
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        details: expect.stringContaining("Write it"),
      });
    } finally {
      database.close();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
