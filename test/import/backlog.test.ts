import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createService } from "../../src/compose-service.ts";
import { syncBacklog } from "../../src/integrations/copilot/sync-backlog.ts";
import { CALLER, newWorkspace, type TestWorkspace } from "./copilot-workspace.ts";

let place: TestWorkspace;
let backlog: string;
beforeEach(() => {
  place = newWorkspace();
  mkdirSync(join(place.cwd, "doc"));
  backlog = join(place.cwd, "doc", "todo-archive.ndjson");
});
afterEach(() => place.remove());

it("an import of another file does not move the read position of the backlog", async () => {
  const { context, cwd } = place;
  const service = createService(context);
  writeFileSync(backlog, '{"id":"T1","title":"First","status":"todo"}\n');
  await syncBacklog(context, CALLER, cwd);
  await service.call("update_task", { task_id: "T1", status: "done" }, CALLER);
  const other = join(cwd, "other.ndjson");
  writeFileSync(other, '{"id":"O1","title":"Other","status":"todo"}\n');
  expect(await syncBacklog(context, CALLER, cwd, other)).toMatchObject({ rows: 1 });
  // Reading it from the start would undo later changes.
  expect(await syncBacklog(context, CALLER, cwd)).toBeNull();
  appendFileSync(backlog, '{"id":"T2","title":"Second","status":"todo"}\n');
  expect(await syncBacklog(context, CALLER, cwd)).toMatchObject({ rows: 1 });
  const { tasks } = await service.call("list_tasks", {}, CALLER);
  expect(tasks.map(({ task_id, status }) => [task_id, status]).toSorted()).toEqual([
    ["O1", "todo"],
    ["T1", "done"],
    ["T2", "todo"],
  ]);
});
