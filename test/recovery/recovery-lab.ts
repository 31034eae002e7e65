import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createService } from "../../src/compose-service.ts";
import type { Input } from "../../src/contract/operations.ts";
import type { DriveContext, RecoverySurroundings } from "../../src/drive/recovery/drive-context.ts";
import { PLAIN_RECOVERY } from "../../src/drive/recovery/drive-context.ts";
import { isAlive } from "../../src/process/process-identity.ts";
import { newId } from "../../src/service/new-id.ts";
import type { Caller } from "../../src/service/service-context.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { afterEachTest } from "../clean-up.ts";

const MINUTE = 60_000;
const opened: { readonly home: string; readonly context: DriveContext }[] = [];

afterEachTest(async () => {
  for (const lab of opened.splice(0)) {
    await lab.context.store.close();
    rmSync(lab.home, { recursive: true, force: true });
  }
});

export type RecoveryLab = Awaited<ReturnType<typeof openRecoveryLab>>;

/** A real store with a settable clock: a declaration is stale ten minutes later. */
export async function openRecoveryLab(recovery: Partial<RecoverySurroundings> = {}) {
  const home = mkdtempSync(join(tmpdir(), "belay-recovery-"));
  const logs = join(home, "agent-logs");
  mkdirSync(logs);
  const clock = { now: Date.now() - 60 * MINUTE };
  const context: DriveContext = {
    store: await openSqliteStore({ folder: home, isAlive }),
    now: () => clock.now,
    newId,
    logs,
    recovery: {
      ...PLAIN_RECOVERY,
      folderOf: async (head) => join(home, head.session_id),
      ...recovery,
    },
  };
  const caller: Caller = { owner: "local", actor: "test", interface: "library", trace_id: "t-1" };
  const service = createService(context);
  const lab = {
    home,
    logs,
    context,
    caller,
    service,
    wait: (minutes: number) => {
      clock.now += minutes * MINUTE;
    },
    create: (session_id: string) => service.call("create", { agent_name: "a", session_id }, caller),
    begin: async (id: string, action: Omit<Input<"begin_action">, "id">) =>
      (await service.call("begin_action", { id, ...action }, caller)).action_id,
    recover: (input: Input<"recover"> = {}) => service.call("recover", input, caller),
    answer: (approval_id: string, answer: "continue" | "rollback" | "abort", dry_run = false) =>
      service.call("answer_recovery", { approval_id, answer, dry_run }, caller),
    log: async (id: string) => (await service.call("log", { id, limit: 1000 }, caller)).events,
    get: (id: string) => service.call("get", { id }, caller),
  };
  opened.push(lab);
  return lab;
}
