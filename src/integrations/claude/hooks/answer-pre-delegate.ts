import { BelayError } from "../../../contract/errors.ts";
import type { Caller } from "../../../service/service-context.ts";
import type { StreamStore } from "../../../store/stream-store.ts";
import type { DelegationAdvice } from "../advise-delegation.ts";
import { adviseDelegation, noSession } from "../advise-delegation.ts";
import { isWaiting } from "../is-waiting.ts";
import type { Deadline } from "./deadline.ts";
import type { HookDeps } from "./hook-deps.ts";
import { NOTHING } from "./hook-plan.ts";
import { BadPayload, parsePayload } from "./payload.ts";

/** GAIA-OPS's question before an agent gets work: is there a session of its own to continue? */
export async function answerPreDelegate(
  text: string,
  deps: HookDeps,
  deadline: Deadline,
): Promise<DelegationAdvice> {
  const query = readQuery(text, deps);
  if (isWaiting(deps, query.agent_id)) {
    const { performPlan } = await import("./watch.ts");
    await performPlan("spool", NOTHING, deps, deadline);
  }
  try {
    const opened = await deps.openStore({
      home: deps.home,
      busyMs: deadline.busyMs(),
      readOnly: true,
    });
    try {
      const store = deps.server ? await seenBy(opened, deps.server.caller) : opened;
      return await adviseDelegation({ store, now: deps.now, newId: deps.newId }, query);
    } finally {
      // Otherwise SQLite's own files would stay, and look as if a process had the store open.
      if (!deps.server) await opened.close();
    }
  } catch (error) {
    if (error instanceof BelayError && error.code === "storage_missing") {
      return noSession(query.agent_id);
    }
    throw error;
  }
}

async function seenBy(store: StreamStore, caller: Caller): Promise<StreamStore> {
  const { storeFor } = await import("../../../service/access/recorder-store.ts");
  return storeFor(store, caller);
}

function readQuery(text: string, { owner, cwd: here, server }: HookDeps) {
  const cwd = server?.asksIn ?? here;
  const { agent_name = null, agent_id = null } = parsePayload(text);
  if (!isTextOrNull(agent_name) || !isTextOrNull(agent_id)) {
    throw new BadPayload("agent_name and agent_id must be texts");
  }
  return { owner, cwd, agent_name, agent_id: agent_id === "" ? null : agent_id };
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}
