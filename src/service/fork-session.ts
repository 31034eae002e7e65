import type { SessionCommand } from "../contract/commands.ts";
import { BelayError, refuse } from "../contract/errors.ts";
import { decideSession } from "../core/session/decide-session.ts";
import { isRefusal } from "../core/session/decision.ts";
import { applySessionFacts, joinApplied, runCommands } from "../core/session/run-commands.ts";
import { grantGuard } from "./access/grant-guard.ts";
import { findForkable } from "./access/open-shared.ts";
import type { ChangedSession } from "./change-session.ts";
import { originOf, readOutcome } from "./change-session.ts";
import { idempotencyOf, idFor, type Retry } from "./idempotency.ts";
import { newSessionId } from "./new-id.ts";
import { findSession } from "./read/find-session.ts";
import { readHeadAt } from "./read/read-head-at.ts";
import { redactCommands } from "./redact-commands.ts";
import type { Caller, ServiceContext } from "./service-context.ts";

interface Fork {
  readonly id: string;
  /** The last shared event. */
  readonly at?: number | undefined;
  readonly session_id?: string | undefined;
  readonly title?: string | undefined;
  /** The agent that works on the fork; by default the session's agent. */
  readonly agent_name?: string;
  /** Commands to run in the fork at once. */
  readonly commands?: readonly SessionCommand[];
  readonly retry: Retry | undefined;
}

/** Forks a session without copying anything: the child's log continues the parent's after the fork point. */
export async function forkSession(
  context: ServiceContext,
  input: Fork,
  caller: Caller,
): Promise<ChangedSession> {
  const { store } = context;
  const shared = await findForkable(context, input.id, caller);
  const guard = shared && grantGuard(context, caller.owner, shared, "fork");
  const { stream: parent, head: tip } =
    shared ?? (await findSession(context, caller.owner, input.id));
  const seq = input.at ?? parent.seq;
  if (seq > parent.seq) {
    throw new BelayError(
      refuse(
        "event_not_found",
        `${parent.key} has only ${parent.seq} events, so there is no event ${seq}. Give a smaller number.`,
        { at: seq },
      ),
    );
  }
  const before = seq === parent.seq ? tip : await readHeadAt(store, parent.id, seq);
  const now = context.now();
  const { retry } = input;
  const redaction = await context.redaction?.();
  const commands = redactCommands(redaction, input.commands ?? []);
  const title = input.title === undefined ? null : (redaction?.text(input.title) ?? input.title);
  const entity_id = idFor(context, caller, retry);
  const session_id = input.session_id ?? newSessionId(now, entity_id);
  const child = { kind: "session", owner: caller.owner, key: session_id } as const;

  const outcome = await store.transact({
    streams: [child, ...(guard?.streams ?? [{ id: parent.id }])],
    // The streams of the guard follow the new session.
    reads: (guard?.reads ?? []).map((read) => ({ ...read, stream: read.stream + 1 })),
    ...(retry && { idempotency: idempotencyOf(caller, retry) }),
    decide: ({ streams, rows }) => {
      const refused = guard?.refuse({ streams: streams.slice(1), rows });
      if (refused) return { refused };
      if (streams[0]) {
        return {
          refused: refuse(
            "session_exists",
            `Session ${session_id} already exists. Choose another id.`,
            { session_id },
          ),
        };
      }
      const facts = decideSession(
        {
          type: "fork",
          session_id,
          entity_id,
          owner: caller.owner,
          interface: caller.interface,
          title,
          parent: {
            session_id: shared ? `${parent.owner}/${parent.key}` : parent.key,
            entity_id: parent.id,
            seq,
          },
          ...(input.agent_name !== undefined && { agent_name: input.agent_name }),
        },
        before,
        { now, lease: null, epoch: null },
      );
      if (isRefusal(facts)) return { refused: facts };
      const origin = { at: now, ...originOf(caller) };
      const forked = applySessionFacts({ head: before, seq }, facts, origin);
      if (!forked) return { refused: refuse("internal", "A fork needs events.") };
      const from = { head: forked.head, seq: seq + forked.events.length };
      const more = runCommands(commands, from, { now, lease: null, epoch: null }, origin);
      if (more && isRefusal(more)) return { refused: more };
      const applied = (more && joinApplied([forked, more])) ?? forked;
      const create = { ...child, base: { id: parent.id, seq } };
      return { appends: [{ id: entity_id, create, ...applied }] };
    },
  });
  const forked = await readOutcome(context, outcome, child);
  if (isRefusal(forked)) throw new BelayError(forked);
  return forked;
}
