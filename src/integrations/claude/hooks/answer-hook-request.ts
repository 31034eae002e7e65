import type { Caller, ServiceContext } from "../../../service/service-context.ts";
import { startDeadline } from "./deadline.ts";
import type { HookDeps } from "./hook-deps.ts";
import type { Payload } from "./payload.ts";
import { nameIn, parsePayload } from "./payload.ts";
import { runHook } from "./run-hook.ts";

/** The dependencies of hooks in a server. */
interface HookRequestDeps {
  readonly context: ServiceContext;
  readonly home: string;
  /** The server's working folder: the only folder besides `home` that a hook may write in. */
  readonly cwd: string;
  readonly env: HookDeps["env"];
  noteFailure(hook: string, problem: string): void;
}

/**
 * Answers a hook that was called over HTTP, like `belay hook` does, on the server's own open store and as the caller.
 * It takes at most a second and never fails, because an agent waits for it.
 */
export async function answerHookRequest(
  text: string,
  caller: Caller,
  deps: HookRequestDeps,
): Promise<string> {
  const payload = readPayload(text);
  const hook = payload ? hookOf(payload) : "claude-code";
  const cwd = payload ? nameIn(payload, "cwd", LONGEST_FOLDER) : null;
  const { stdout } = await runHook(hook, text, hookDeps(caller, deps, cwd), startDeadline(0));
  return stdout;
}

/** Claude Code's own payloads name their event; the two others are recognized by their fields. */
function hookOf(payload: Payload): "claude-code" | "subagent-stop" | "pre-delegate" {
  if (payload.hook_event_name !== undefined) return "claude-code";
  if (payload.task_info !== undefined) return "subagent-stop";
  return "agent_name" in payload || "agent_id" in payload ? "pre-delegate" : "claude-code";
}

function hookDeps(caller: Caller, deps: HookRequestDeps, asksIn: string | null): HookDeps {
  const { context, home, cwd, env, noteFailure } = deps;
  return {
    home,
    cwd,
    env,
    owner: caller.owner,
    now: context.now,
    newId: context.newId,
    ...(context.redaction && { redaction: context.redaction }),
    openStore: async () => context.store,
    onChanged: async (_store, changed) => context.onChanged?.(changed),
    server: { caller, noteFailure, asksIn },
  };
}

/** Null for an invalid one: the next reader reports it. */
function readPayload(text: string): Payload | null {
  try {
    return parsePayload(text);
  } catch {
    return null;
  }
}

const LONGEST_FOLDER = 4096;
