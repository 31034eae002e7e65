import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { acquireLease } from "../../src/store/leases.ts";
import { copyData } from "./copy-data.ts";
import { NOW, type OpenService, openService } from "./open-service.ts";

/** Two folders with the same data: all of it in the database, or half of it still in the write-ahead log. */
export interface PreparedData {
  readonly checkpointed: string;
  readonly logged: string;
}

/** Something of every visible kind: some 250 events in a dozen sessions and tasks. */
export async function prepareData(root: string): Promise<PreparedData> {
  const checkpointed = join(root, "checkpointed");
  const logged = join(root, "logged");
  mkdirSync(checkpointed, { mode: 0o700 });
  let at = NOW - 3_600_000;
  const clock = () => {
    at += 1000;
    return at;
  };
  for (const fill of [fillFirst, fillSecond]) {
    const service = await openService(checkpointed, clock);
    await fill(service);
    copyData(checkpointed, logged);
    await service.store.close();
  }
  return { checkpointed, logged };
}

async function fillFirst(service: OpenService): Promise<void> {
  const { call, store } = service;
  await call("add_task", { task_id: "T001", title: "Move the state bucket", priority: "high" });
  await call("add_task", { task_id: "T002", title: "Write the report", est_hours: 3 });

  const { entity_id } = await create(service, "alpha-session", { task_id: "T001", title: "Alpha" });
  await call("update", { id: "alpha-session", metadata: { plan: "p".repeat(400), ticket: "A-1" } });
  for (const phase of PHASES) await call("update", { id: "alpha-session", phase });
  await turns(service, "alpha-session", 40);
  await act(service, "alpha-session");
  await call("save_checkpoint", { id: "alpha-session", name: "before", state: { step: 4 } });
  await call("record_outcome", { id: "alpha-session", type: "deployed", outcome_id: "release-7" });
  await call("record_artifact", { id: "alpha-session", name: "plan", uri: "file:///plan.md" });
  await call("request_approval", {
    id: "alpha-session",
    title: "May I go on?",
    body: "It is live.",
  });
  await acquireLease(store, entity_id, { name: "driver", pid: 1, start_time: 1, boot_id: "b" });

  await create(service, "beta-session", { project: { cwd: "/srv/app", repo: null, branch: null } });
  await turns(service, "beta-session", 70);
  await call("update", { id: "beta-session", error: "a test failed" });
  await call("fork", { id: "beta-session", at: 30, session_id: "beta-fork" });
  await turns(service, "beta-fork", 20);
  await call("fork", { id: "beta-fork", session_id: "beta-fork-of-fork" });
  await turns(service, "beta-fork-of-fork", 10);
  const { approval_id } = await call("request_approval", { id: "beta-session", title: "Ship it?" });
  await call("decide_approval", { approval_id, decision: "approved", note: "yes" });
}

async function fillSecond(service: OpenService): Promise<void> {
  const { call } = service;
  await turns(service, "beta-session", 4);
  await call("rename", { id: "beta-session", title: "Beta, renamed" });
  for (const [id, outcome] of [
    ["gamma-done", "completed"],
    ["gamma-failed", "failed"],
  ] as const) {
    await create(service, id, {});
    await turns(service, id, 5);
    await call("finalize", { id, outcome, summary: `it has ${outcome}` });
  }
  await create(service, "delta-archived", {});
  await call("archive", { id: "delta-archived" });
  await create(service, "delta-trashed", {});
  await call("delete", { id: "delta-trashed" });
  await create(service, "delta-suspended", {});
  await turns(service, "delta-suspended", 3);
  await call("suspend", { id: "delta-suspended" });
  await call("pin", { id: "delta-suspended" });

  for (const n of [1, 2, 3]) await observe(service, n);
  await call("update_task", { task_id: "T002", status: "in_progress" });
}

const PHASES = [
  "investigating",
  "planning",
  "approval",
  "executing",
  "validating",
  "planning",
  "executing",
] as const;

function create({ call }: OpenService, session_id: string, more: object) {
  return call("create", { agent_name: "architect", session_id, purpose: "to be read", ...more });
}

async function turns({ call }: OpenService, id: string, count: number): Promise<void> {
  for (let n = 1; n <= count; n += 1) {
    const output = `The answer to question ${n} of ${id} is ${n * 7919}. `.repeat(1 + (n % 30));
    await call("record_turn", { id, input: `Question ${n} of ${id}?`, output });
  }
}

async function act({ call }: OpenService, id: string): Promise<void> {
  const details = { entity_id: "bucket-1" };
  await call("begin_action", {
    id,
    action_id: "act-1",
    type: "deploy",
    effects: "remote",
    details,
  });
  await call("complete_action", { id, action_id: "act-1", result: "success" });
  await call("begin_action", { id, action_id: "act-2", type: "rollback" });
}

function observe({ call }: OpenService, n: number) {
  return call("submit_observation", {
    session_id: "omega-observed",
    started_at: "2026-03-01T10:00:00Z",
    actions: [{ type: `step-${n}`, result: "success", timestamp: `2026-03-01T10:0${n}:00Z` }],
    checkpoints: [{ name: `point-${n}`, state: { n }, timestamp: `2026-03-01T10:1${n}:00Z` }],
    outcomes: [{ type: "made", id: `thing-${n}` }],
  });
}
