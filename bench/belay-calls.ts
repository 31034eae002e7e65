import type { SessionFact } from "../src/contract/events.ts";
import { applySessionFacts } from "../src/core/session/run-commands.ts";
import type { BelayService } from "../src/service/belay-service.ts";
import { newId } from "../src/service/new-id.ts";
import type { Caller } from "../src/service/service-context.ts";
import type { Append } from "../src/store/stream-store.ts";
import {
  type ListedSession,
  type OpenContender,
  resumedTurns,
  type SessionStatus,
} from "./contender.ts";

const caller: Caller = { owner: "local", actor: "bench", interface: "library", trace_id: newId() };

type Calls = Pick<
  OpenContender,
  "createSession" | "appendTurn" | "appendKeyed" | "appendConcurrently" | "resume" | "list" | "fork"
>;

/** The calls of a contender as calls of the service, which are the same on every store. */
export function toCalls(service: BelayService): Calls {
  const record = (id: string, output: string) =>
    service.call("record_turn", { id, input: "", output }, caller);
  return {
    createSession: async (session_id, agent_name) => {
      await service.call("create", { session_id, agent_name }, caller);
    },
    appendTurn: async (session, text) => {
      await record(session, text);
    },
    appendKeyed: async (id, output, idempotency_key) => {
      await service.call("record_turn", { id, input: "", output, idempotency_key }, caller);
    },
    appendConcurrently: async (callers, turnsEach, text) => {
      await Promise.all(
        callers.map(async (session) => {
          for (let turn = 0; turn < turnsEach; turn++) await record(session, text);
        }),
      );
    },
    resume: async (id) => {
      const { turn_count } = await service.call("get", { id }, caller);
      const { turns } = await service.call("turns", { id, limit: resumedTurns }, caller);
      return { turnCount: turn_count, turns: turns.map((turn) => turn.output) };
    },
    list: async ({ status, agent, limit }) => {
      const { sessions } = await service.call("list", { status: [status], agent, limit }, caller);
      return sessions.map(
        (session): ListedSession => ({
          session: session.session_id,
          agent: session.agent_name,
          status: session.status,
        }),
      );
    },
    fork: async (id, session_id, atTurn) => {
      // The first two events create the session and make it active.
      const at = atTurn === undefined ? {} : { at: atTurn + 2 };
      await service.call("fork", { id, session_id, ...at }, caller);
    },
  };
}

/** The state that creating a session and changing its status would leave. */
export function newSession({ session, agent, status }: ListedSession): Append {
  const entity_id = newId();
  const { owner, actor, trace_id } = caller;
  const created: SessionFact = {
    type: "session.created",
    data: {
      session_id: session,
      entity_id,
      owner,
      agent_name: agent,
      interface: "library",
      purpose: null,
      title: null,
      project: null,
      task_id: entity_id,
      metadata: {},
      supports_resume: false,
      observed: false,
    },
  };
  const origin = { at: Date.now(), actor, interface: "library", trace_id };
  const facts = [created, ...BECOMING[status]];
  const applied = applySessionFacts({ head: null, seq: 0 }, facts, origin);
  if (!applied) throw new Error("a seeded session came to nothing");
  return { id: entity_id, create: { kind: "session", owner, key: session }, ...applied };
}

const ended = { summary: null, duration_ms: 0 };
const BECOMING = {
  created: [],
  active: [{ type: "session.activated", data: {} }],
  suspended: [{ type: "session.suspended", data: { reason: "shutdown", checkpoint_id: null } }],
  completed: [{ type: "session.completed", data: ended }],
  failed: [{ type: "session.failed", data: { ...ended, error: null } }],
  cancelled: [{ type: "session.cancelled", data: ended }],
  archived: [{ type: "session.archived", data: {} }],
} as const satisfies Record<SessionStatus, readonly SessionFact[]>;
