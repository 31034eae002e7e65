import type { SessionCommand } from "../contract/commands.ts";
import { BelayError, type Refusal, refuse } from "../contract/errors.ts";
import type { SessionHead } from "../contract/head.ts";
import { decideSession } from "../core/session/decide-session.ts";
import { isRefusal } from "../core/session/decision.ts";
import { isSessionHead } from "../core/session/known-events.ts";
import { applySessionFacts, joinApplied, runCommands } from "../core/session/run-commands.ts";
import type { StreamRef } from "../store/stream-store.ts";
import { grantGuard } from "./access/grant-guard.ts";
import { findForkable } from "./access/open-shared.ts";
import type { ChangedSession } from "./change-session.ts";
import { originOf, readOutcome } from "./change-session.ts";
import { idempotencyOf, idFor, type Retry } from "./idempotency.ts";
import { newSessionId } from "./new-id.ts";
import { findSession, isEntityId, sessionNotFound } from "./read/find-session.ts";
import { readHeadAt } from "./read/read-head-at.ts";
import { redactCommands } from "./redact/redact-commands.ts";
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
  const shared = await findForkable(context, input.id, caller);
  if (!shared && input.at === undefined && !isEntityId(input.id)) {
    // The exact id is tried first: the transaction itself then reads the session.
    const exact = { kind: "session", owner: caller.owner, key: input.id } as const;
    const forked = await attempt(context, input, caller, { ref: exact });
    if (!isRefusal(forked)) return forked;
    if (forked.error !== "session_not_found") throw new BelayError(forked);
  }
  const { stream, head } = shared ?? (await findSession(context, caller.owner, input.id));
  const at = input.at ?? stream.seq;
  if (at > stream.seq) {
    throw new BelayError(
      refuse(
        "event_not_found",
        `${stream.key} ends at event ${stream.seq}, so there is no event ${at}. Give a smaller number.`,
        { at },
      ),
    );
  }
  const before = at === stream.seq ? head : await readHeadAt(context.store, stream.id, at);
  const guard = shared && grantGuard(context, caller.owner, shared, "fork");
  const forked = await attempt(context, input, caller, {
    ref: { id: stream.id },
    point: { seq: at, head: before },
    ...(guard && { guard }),
  });
  if (isRefusal(forked)) throw new BelayError(forked);
  return forked;
}

interface ForkedSession {
  readonly ref: StreamRef;
  /** The event after which it is forked; by default the last one. */
  readonly point?: { readonly seq: number; readonly head: SessionHead | null };
  /** Set if it belongs to another person. Its first stream is the session. */
  readonly guard?: ReturnType<typeof grantGuard>;
}

async function attempt(
  context: ServiceContext,
  input: Fork,
  caller: Caller,
  { ref, point, guard }: ForkedSession,
): Promise<ChangedSession | Refusal> {
  const now = context.now();
  const { retry } = input;
  const redaction = await context.redaction?.();
  const commands = redactCommands(redaction, input.commands ?? []);
  const title = input.title === undefined ? null : (redaction?.text(input.title) ?? input.title);
  const entity_id = idFor(context, caller, retry);
  const session_id = input.session_id ?? newSessionId(now, entity_id);
  const child = { kind: "session", owner: caller.owner, key: session_id } as const;

  const outcome = await context.store.transact({
    streams: [child, ...(guard?.streams ?? [ref])],
    expectsNew: true,
    // The streams of the guard follow the new session.
    reads: (guard?.reads ?? []).map((read) => ({ ...read, stream: read.stream + 1 })),
    ...(retry && { idempotency: idempotencyOf(caller, retry) }),
    decide: ({ streams, rows }) => {
      const refused = guard?.refuse({ streams: streams.slice(1), rows });
      if (refused) return { refused };
      const [existing, parent] = streams;
      const tip = isSessionHead(parent?.head) ? parent.head : null;
      if (!parent || !tip) return { refused: sessionNotFound(input.id) };
      const { seq, head: before } = point ?? { seq: parent.seq, head: tip };
      if (existing) {
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
            session_id: guard ? `${parent.owner}/${parent.key}` : parent.key,
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
  return readOutcome(context, outcome, child);
}
