import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SessionCommand } from "../../../contract/commands.ts";
import { changeSession } from "../../../service/change-session.ts";
import { startDeadline } from "./deadline.ts";
import type { HookDeps } from "./hook-deps.ts";
import type { runHook } from "./run-hook.ts";

const AGENT = "self-test-agent";
const ID = "self-test-session";
const MINUTE = 60_000;
/** No agent waits for a test, so it may take longer. */
const PATIENT_MS = 20_000;

/** `belay hook pre-delegate --test`: the whole path in a temporary folder. 0 if every line is correct. */
export async function runSelfTest(
  deps: HookDeps,
  answer: typeof runHook,
  write: (text: string) => void,
): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), "belay-hook-test-"));
  let later = 0;
  const here: HookDeps = { ...deps, home, cwd: home, now: () => deps.now() + later };
  let failures = 0;
  try {
    await check("nothing there yet", "no_existing_session", { agent_name: AGENT });
    await change([createCommand(here), setPhase("approval")]);
    await check("waits for an approval", "session_resumable", { agent_name: AGENT, agent_id: ID });
    await check("found without its id", "session_resumable", { agent_name: AGENT });
    await check("an id is never a prefix", "no_existing_session", { agent_id: ID.slice(0, -1) });
    later = 29 * MINUTE;
    await check("after 29 minutes", "session_resumable", { agent_id: ID });
    later = 31 * MINUTE;
    await check("after 31 minutes", "session_not_resumable", { agent_id: ID });
    later = 0;
    await change([setPhase("executing")]);
    await check("while it executes", "session_not_resumable", { agent_id: ID });
    await run("subagent-stop", JSON.stringify({ task_info: { agent_id: ID } }));
    await check("after its agent stopped", "session_not_resumable", { agent_id: ID });
    await check("not JSON", "error", "{");
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
  write(failures === 0 ? "All checks passed.\n" : `${failures} of these checks failed.\n`);
  return failures === 0 ? 0 : 1;

  function run(name: string, text: string) {
    return answer(name, text, here, startDeadline(0, PATIENT_MS));
  }

  async function check(what: string, expected: string, payload: object | string): Promise<void> {
    const text = typeof payload === "string" ? payload : JSON.stringify(payload);
    const { stdout } = await run("pre-delegate", text);
    const { reason } = JSON.parse(stdout);
    const ok = reason === expected;
    if (!ok) failures += 1;
    write(`${ok ? "ok  " : "FAIL"}  ${what}: ${reason}${ok ? "" : ` instead of ${expected}`}\n`);
  }

  async function change(commands: readonly SessionCommand[]): Promise<void> {
    const store = await here.openStore({ home, busyMs: 10_000, readOnly: false });
    const caller = {
      owner: here.owner,
      actor: "self-test",
      interface: "hook",
      trace_id: null,
    } as const;
    try {
      await changeSession({ store, now: here.now, newId: here.newId }, caller, {
        id: ID,
        commands: () => commands,
      });
    } finally {
      await store.close();
    }
  }
}

function setPhase(phase: "approval" | "executing"): SessionCommand {
  return { type: "set_phase", phase, summary: null };
}

function createCommand({ owner, cwd, newId }: HookDeps): SessionCommand {
  const entity_id = newId();
  return {
    type: "create",
    session_id: ID,
    entity_id,
    owner,
    agent_name: AGENT,
    interface: "hook",
    purpose: "self-test",
    title: null,
    project: { cwd, repo: null, branch: null },
    task_id: entity_id,
    metadata: {},
    supports_resume: false,
    observed: false,
  };
}
