import { BelayError } from "../../../contract/errors.ts";
import { storeFor } from "../../../service/access/recorder-store.ts";
import type { ServiceContext } from "../../../service/service-context.ts";
import { deliverSpool, isStorageTrouble } from "../deliver-spool.ts";
import { describeForResume } from "../describe-for-resume.ts";
import { recordSighting } from "../record-sighting.ts";
import { listSpool, putInSpool } from "../spool.ts";
import type { Deadline } from "./deadline.ts";
import type { HookDeps } from "./hook-deps.ts";
import type { HookPlan, NotesRequest } from "./hook-plan.ts";
import { logFailure } from "./log-failure.ts";

/**
 * Returns notes if they are requested, and records the sighting; if it cannot be recorded now, it is spooled. Spooled
 * sightings go first, so that everything is recorded in order.
 */
export async function performPlan(
  hook: string,
  plan: HookPlan,
  deps: HookDeps,
  deadline: Deadline,
): Promise<string> {
  let answer = "";
  const logged: Promise<void>[] = [];
  const by = deps.server?.caller;
  const recorder = by?.scope === "record" ? { recorder: by.token_id ?? "" } : {};
  const sighting = plan.sighting && { ...plan.sighting, ...recorder };
  try {
    await deadline.race(work((notes) => (answer = notes)));
  } catch (error) {
    log(error);
    spoolSighting(error);
  }
  await Promise.all(logged);
  return answer;

  async function work(say: (answer: string) => void): Promise<void> {
    const readOnly = plan.sighting === null && listSpool(deps).length === 0;
    if (readOnly && plan.notes === null) return;
    const { home } = deps;
    const store = await deps.openStore({ home, busyMs: deadline.busyMs(), readOnly });
    const context: ServiceContext = {
      store,
      now: deps.now,
      newId: deps.newId,
      ...(deps.redaction && { redaction: deps.redaction }),
      onChanged: (changed) => deps.onChanged(store, changed).catch(log),
    };
    try {
      const trouble = readOnly ? null : await deliverWaiting(context).catch((error) => ({ error }));
      if (plan.notes) say(await answerWith({ ...context, store: seenBy(store) }, plan.notes));
      if (trouble) throw trouble.error;
      if (sighting) await recordSighting(context, deps.owner, sighting);
    } finally {
      if (!deps.server) await store.close();
    }
  }

  function seenBy(store: ServiceContext["store"]): ServiceContext["store"] {
    return by ? storeFor(store, by) : store;
  }

  /** Null if nothing waits any more. */
  async function deliverWaiting(context: ServiceContext): Promise<{ error: Error } | null> {
    const { rejected, left } = await deliverSpool(context, deps, () => deadline.busyMs() === 0);
    for (const reason of rejected) log(`not delivered: ${reason}`);
    return left === 0 ? null : { error: new Error(`${left} earlier events wait in the spool`) };
  }

  async function answerWith(context: ServiceContext, request: NotesRequest): Promise<string> {
    try {
      const tokens = contextTokens(deps.env.BELAY_CONTEXT_TOKENS);
      const notes = await describeForResume(context, deps.owner, request.of, tokens);
      if (notes === "") return "";
      const hookSpecificOutput = { hookEventName: request.event, additionalContext: notes };
      return `${JSON.stringify({ hookSpecificOutput })}\n`;
    } catch (error) {
      log(error);
      return "";
    }
  }

  function spoolSighting(error: unknown): void {
    if (!sighting || isRefusal(error)) return;
    try {
      putInSpool(deps, { owner: deps.owner, sighting }, deps.newId());
    } catch (full) {
      log(full);
    }
  }

  function log(problem: unknown): void {
    if (problem instanceof BelayError && problem.code === "storage_missing") return;
    logged.push(logFailure(deps, hook, problem));
  }
}

/** A refusal is final: the same request would be refused again. */
function isRefusal(error: unknown): boolean {
  return error instanceof BelayError && error.code !== "internal" && !isStorageTrouble(error);
}

const CONTEXT_TOKENS = 2000;
const MOST_CONTEXT_TOKENS = 100_000;

function contextTokens(wanted: string | undefined): number {
  if (wanted === undefined || !/^\d+$/.test(wanted)) return CONTEXT_TOKENS;
  return Math.min(Number(wanted), MOST_CONTEXT_TOKENS);
}
