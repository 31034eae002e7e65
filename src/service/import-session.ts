import type { SessionCommand } from "../contract/commands.ts";
import { BelayError, refuse } from "../contract/errors.ts";
import { isRefusal } from "../core/session/decision.ts";
import type { AppliedSession } from "../core/session/run-commands.ts";
import { joinApplied, runCommands } from "../core/session/run-commands.ts";
import { originOf } from "./change-session.ts";
import type { Caller, ServiceContext } from "./context.ts";

/** Something that happened in a session before Belay knew of it. */
export interface PastStep {
  readonly at: number;
  readonly commands: readonly SessionCommand[];
}

/** Takes over a session with its own times, whole or not at all. False: it is known already. */
export async function importSession(
  context: ServiceContext,
  caller: Caller,
  session_id: string,
  steps: readonly PastStep[],
): Promise<boolean> {
  const key = { kind: "session", owner: caller.owner, key: session_id } as const;
  const outcome = await context.store.transact({
    streams: [key],
    decide: ({ streams: [stream] }) => {
      if (stream) return { appends: [] };
      const parts: AppliedSession[] = [];
      let seq = 0;
      for (const { at, commands } of steps) {
        const from = { head: parts.at(-1)?.head ?? null, seq };
        const now = { now: at, lease: null, epoch: null };
        const next = runCommands(commands, from, now, { at, ...originOf(caller) });
        if (next && isRefusal(next)) return { refused: next };
        if (!next) continue;
        parts.push(next);
        seq += next.events.length;
      }
      const done = joinApplied(parts);
      if (!done) return { refused: refuse("internal", "a session without a beginning") };
      return { appends: [{ id: done.head.entity_id, create: key, ...done }] };
    },
  });
  if (outcome.kind === "refused") throw new BelayError(outcome.refusal);
  return outcome.kind === "committed" && outcome.streams.length > 0;
}
