import { createContext } from "../../src/compose-context.ts";
import { createService } from "../../src/compose-service.ts";
import type { Input, OperationName, Output } from "../../src/contract/operations.ts";
import { isAlive } from "../../src/process/process-identity.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const AGENTS = ["claude", "codex", "gemini"] as const;
const FOLDERS = ["shop", "mobile-app", "website", "infra"] as const;
const WORK = [
  "Retry failed webhooks with backoff",
  "Speed up the nightly build",
  "Add keyboard shortcuts to the editor",
  "Explain the flaky login test",
  "Upgrade the database driver",
  "Translate the onboarding emails",
  "Find out why images load twice",
  "Write the release notes for 2.4",
  "Remove the old search index",
  "Make the cart work offline",
  "Review the new rate limits",
  "Tidy up the terraform modules",
];

export const TIMELINE_SESSION = "move-images";

/** Six weeks of work, written with a clock of its own, so that a picture of it looks like six weeks. */
export async function writePast(home: string): Promise<void> {
  const store = await openSqliteStore({ folder: home, isAlive });
  let clock = Date.now();
  const service = createService({ ...createContext(store), now: () => clock });
  const caller = { owner: "local", actor: "user:ann", interface: "cli", trace_id: null } as const;
  const call = <K extends OperationName>(name: K, input: Input<K>): Promise<Output<K>> =>
    service.call(name, input, caller);
  const today = Date.now();

  let nth = 0;
  for (let daysAgo = 42; daysAgo >= 1; daysAgo -= 1) {
    const sessions = [1, 3, 2, 4, 3, 1, 2][daysAgo % 7] ?? 2;
    for (let of = 0; of < sessions; of += 1) {
      nth += 1;
      clock = today - daysAgo * DAY + of * 2 * HOUR + (nth % 5) * 13 * MINUTE;
      const folder = FOLDERS[nth % FOLDERS.length] ?? "shop";
      const { session_id: id } = await call("create", {
        agent_name: AGENTS[((nth * 5) % 7) % 3] ?? "claude",
        title: WORK[nth % WORK.length],
        purpose: "coding",
        project: {
          cwd: `/home/ann/${folder}`,
          repo: null,
          branch: nth % 4 === 0 ? "next" : "main",
        },
      });
      for (let turn = 0; turn <= nth % 4; turn += 1) {
        clock += (3 + (nth % 9)) * MINUTE;
        await call("record_turn", {
          id,
          input: "Go on, please.",
          output: "Done. The tests pass.",
          usage: {
            input_tokens: 9000 + nth * 130,
            output_tokens: 900 + turn * 210,
            cost_usd: 0.02 + (nth % 11) * 0.014,
          },
        });
      }
      clock += 2 * MINUTE;
      if (nth % 9 === 4)
        await call("finalize", { id, outcome: "failed", error: "npm test exited with code 1" });
      else if (daysAgo > 3 || nth % 2 === 0)
        await call("finalize", { id, outcome: "completed", summary: "Merged." });
      else if (nth % 3 === 0) await call("suspend", { id });
    }
  }

  clock = today - 27 * HOUR;
  await call("add_task", { task_id: "OPS-118", title: "Move images to object storage" });
  const { session_id: id } = await call("create", {
    agent_name: "codex",
    session_id: TIMELINE_SESSION,
    title: "Move images to object storage",
    purpose: "migration",
    task_id: "OPS-118",
    project: { cwd: "/home/ann/infra", repo: null, branch: "object-storage" },
  });
  const act = async (
    type: string,
    title: string,
    minutes: number,
    effects: "none" | "local" | "remote",
    status: "completed" | "failed" = "completed",
  ) => {
    const { action_id } = await call("begin_action", { id, type, effects, details: { title } });
    clock += minutes * MINUTE;
    await call("complete_action", {
      id,
      action_id,
      status,
      result: status === "failed" ? "exit code 1" : "success",
    });
  };
  const turn = async (input: string, output: string, cost: number) => {
    clock += MINUTE;
    await call("record_turn", {
      id,
      input,
      output,
      usage: { input_tokens: 21_000, output_tokens: 2400, cost_usd: cost },
    });
  };
  await call("update", { id, phase: "investigating" });
  await act("read", "Read storage/local.ts", 2, "none");
  await act("search", "Search for uses of saveImage", 3, "none");
  await turn(
    "Move our images to object storage.",
    "There are 14 call sites. I will write a plan.",
    0.21,
  );
  await call("update", { id, phase: "planning" });
  clock += 6 * MINUTE;
  await turn("Plan it.", "1. Write both\n2. Copy what is there\n3. Read from the bucket", 0.17);
  await call("save_checkpoint", { id, name: "planned", state: { step: 1 } });
  await call("update", { id, phase: "executing" });
  await act("edit", "Edit storage/bucket.ts", 5, "local");
  await act("execute", "npm test", 4, "local", "failed");
  await act("edit", "Edit storage/bucket.test.ts", 3, "local");
  await act("execute", "npm test", 4, "local");
  await turn("Write both.", "New images go to both places now; the tests pass.", 0.34);
  await call("save_checkpoint", { id, name: "writes-both", state: { step: 2 } });
  await call("suspend", { id });
  clock = today - 3 * HOUR;
  await call("resume", { id });
  await act("execute", "./copy-images --dry-run", 7, "none");
  await turn("Copy what is there.", "The dry run lists 48,211 images, 31 GB.", 0.12);
  await call("begin_action", {
    id,
    type: "execute",
    effects: "remote",
    pid: 4_000_000,
    cmd: "./copy-images --all",
    rollback: [{ title: "Empty the new bucket", command: "./bucket empty images-new" }],
    details: { title: "./copy-images --all", input: { command: "./copy-images --all" } },
  });
  clock += 22 * MINUTE;
  await call("recover", { id });
  await store.close();
}
