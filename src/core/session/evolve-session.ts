import type { SessionEvent } from "../../contract/events.ts";
import type { Open, SessionHead } from "../../contract/head.ts";
import { LIMITS } from "../../contract/limits.ts";
import { readInstant } from "../../contract/read-instant.ts";
import { RECOVERY } from "../../contract/reserved-actor.ts";
import { finiteSum } from "../finite-sum.ts";
import { cutText } from "../text-size.ts";
import { mergeMetadata } from "./metadata.ts";
import type { EventOf } from "./new-head.ts";
import { firstHead, forkedHead } from "./new-head.ts";

/**
 * Folds one event into the head. It never throws: an event before the first head gives null, and an
 * event that closes something not open changes nothing.
 */
export function evolveSession(head: SessionHead | null, event: SessionEvent): SessionHead | null {
  if (event.type === "session.created") return firstHead(event);
  if (!head) return null;
  const next = change(head, event);
  const isQuiet = event.type === "session.undeleted" && event.data.quiet === true;
  const active = !NOT_ACTIVITY.has(event.type) && !isQuiet && event.actor !== RECOVERY;
  if (!active) return next;
  if (next === head) return { ...head, updated_at: event.at };
  // A new head is changed in place: copying it again would take as long as the change itself.
  const fresh: { updated_at: number } = next;
  fresh.updated_at = event.at;
  return next;
}

/** Events that are not activity of the agent or the user. */
const NOT_ACTIVITY: ReadonlySet<SessionEvent["type"]> = new Set([
  "session.deleted",
  "session.pinned",
  "session.unpinned",
  "session.shared",
  "session.unshared",
  "session.expiry_set",
  "approval.expired",
  "session.recovered",
]);

function change(head: SessionHead, event: SessionEvent): SessionHead {
  switch (event.type) {
    case "session.created":
    case "session.shared":
    case "session.unshared":
      return head;
    case "session.forked":
      return forkedHead(head, event);
    case "session.updated":
      return {
        ...head,
        metadata: mergeMetadata(
          head.metadata,
          event.data.metadata ?? {},
          event.seq,
          event.data.beside,
        ),
        ...(event.data.beside && { metadata_row: event.seq }),
        resume_ready: event.data.resume_ready ?? head.resume_ready,
        supports_resume: event.data.supports_resume ?? head.supports_resume,
      };
    case "session.merged":
      return merged(head, event);
    case "session.handed_off":
      return handedOff(head, event);
    case "session.renamed":
      return { ...head, title: event.data.title };
    case "session.pinned":
      return { ...head, pinned: true };
    case "session.unpinned":
      return { ...head, pinned: false };
    case "session.expiry_set":
      return expiring(head, event.data.expires_at);
    case "session.activated":
      return { ...head, status: "active" };
    case "session.suspended":
      return {
        ...head,
        status: "suspended",
        suspend_reason: event.data.reason,
        suspended_until: event.data.until ?? null,
        checkpoint_id: event.data.checkpoint_id ?? head.checkpoint_id,
      };
    case "session.resumed":
      return {
        ...forgetLastTurn(head),
        status: "active",
        suspended_until: null,
        interface: event.data.interface,
        error_count: 0,
        counts: { ...head.counts, resumes: head.counts.resumes + 1 },
      };
    case "session.continued":
      return {
        ...head,
        status: "active",
        interface: event.data.interface,
        run: head.run + 1,
        run_started_at: event.at,
      };
    case "session.completed":
      return ended({ ...head, status: "completed" }, event);
    case "session.failed":
      return ended(
        {
          ...head,
          status: "failed",
          last_error: event.data.error ? cutText(event.data.error, LIMITS.ERROR) : head.last_error,
        },
        event,
      );
    case "session.cancelled":
      return ended({ ...head, status: "cancelled" }, event);
    case "session.archived":
      return { ...head, status: "archived" };
    case "session.deleted":
      return { ...head, deleted: deletedBy(event) };
    case "session.undeleted":
      return {
        // A restored session loses its expiration date, so that it is not deleted again at once.
        ...expiring(head, null),
        deleted: null,
        ...(event.data.quiet === true && { undeleted_at: event.at }),
      };
    case "phase.changed":
      return {
        ...head,
        phase: event.data.to,
        recent_phases: [
          ...head.recent_phases,
          { from_phase: event.data.from, to_phase: event.data.to, at: event.at },
        ].slice(-LIMITS.RECENT_PHASES),
        counts: { ...head.counts, phases: head.counts.phases + 1 },
      };
    case "error.recorded":
      return withError(head, event.data.error);
    case "message.queued":
      return { ...head, queue: [...head.queue, { id: event.data.turn_id, seq: event.seq }] };
    case "turn.started":
      return {
        ...forgetLastTurn(head),
        turn: find(head.queue, event.data.turn_id) ?? { id: event.data.turn_id, seq: event.seq },
        queue: without(head.queue, event.data.turn_id),
        interrupt_requested: false,
        ...(head.missed && { missed: { ...head.missed, turn: event.data.turn_id } }),
        counts: { ...head.counts, turns: head.counts.turns + 1 },
      };
    case "turn.part":
      return head;
    case "agent.started":
      return startedAgent(head, event);
    case "agent.stopped":
      return head.agent
        ? { ...head, agent: { ...head.agent, running: null, clean: event.data.reason !== DIED } }
        : head;
    case "session.imported":
      return imported(head, event);
    case "turn.ended":
      return endedTurn(head, event);
    case "turn.recorded":
      return {
        ...forgetLastTurn(head),
        usage: addUsage(head.usage, event.data.usage),
        counts: { ...head.counts, turns: head.counts.turns + 1 },
      };
    case "interrupt.requested":
      return head.turn ? { ...head, interrupt_requested: true } : forgetLastTurn(head);
    case "action.started": {
      const { action_id: id, effects } = event.data;
      return {
        ...head,
        actions: [...head.actions, { id, seq: event.seq, effects }],
        last_action: { id, status: "started", effects },
        counts: { ...head.counts, actions: head.counts.actions + 1 },
      };
    }
    case "action.completed": {
      const { action_id: id, status } = event.data;
      const effects = find(head.actions, id)?.effects ?? "unknown";
      return {
        ...head,
        actions: without(head.actions, id),
        last_action: { id, status, effects },
      };
    }
    case "checkpoint.saved":
      return {
        ...head,
        checkpoint_id: event.data.checkpoint_id,
        counts: { ...head.counts, checkpoints: head.counts.checkpoints + 1 },
      };
    case "checkpoint.restored":
      return {
        ...head,
        checkpoint_id: event.data.checkpoint_id,
        restored: event.seq,
        agent: head.agent && { ...head.agent, session_id: null },
      };
    case "approval.requested": {
      const { approval_id: id, kind, awaited, expires_at } = event.data;
      return {
        ...head,
        approvals: [...head.approvals, { id, seq: event.seq, kind, awaited, expires_at }],
        counts: { ...head.counts, approvals: head.counts.approvals + 1 },
      };
    }
    case "approval.decided":
    case "approval.expired":
      return { ...head, approvals: without(head.approvals, event.data.approval_id) };
    case "observation.submitted":
      return observed(head, event);
    case "action.described": {
      const { action_id: id, effects } = event.data;
      if (!effects) return head;
      return { ...head, actions: head.actions.map((a) => (a.id === id ? { ...a, effects } : a)) };
    }
    case "session.recovered":
    case "outcome.recorded":
    case "artifact.recorded":
      return head;
    default:
      return event satisfies never;
  }
}

function deletedBy({ at, data }: Extract<SessionEvent, { type: "session.deleted" }>) {
  const { purge_at, served_ms } = data;
  return { at, purge_at, ...(served_ms !== undefined && { served_ms }) };
}

function expiring(head: SessionHead, at: number | null): SessionHead {
  const { expires_at: _, ...kept } = head;
  return at === null ? kept : { ...kept, expires_at: at };
}

function forgetLastTurn(head: SessionHead): SessionHead {
  if (head.last_turn === undefined) return head;
  const { last_turn: _, ...others } = head;
  return others;
}

/** The reason for the end of an agent that nobody stopped. */
export const DIED = "died";

function startedAgent(head: SessionHead, event: EventOf<"agent.started">): SessionHead {
  const { agent_session_id, reopens, epoch, place } = event.data;
  const made_at = head.agent?.session_id === agent_session_id ? head.agent.made_at : event.at;
  return {
    ...head,
    supports_resume: reopens,
    agent: {
      session_id: agent_session_id,
      made_at,
      reopens,
      running: event.seq,
      clean: false,
      ...(epoch !== undefined && { epoch }),
      ...(place !== undefined && { place }),
    },
  };
}

/**
 * Sets the agent's own session id, found in its files. If Belay has started the agent, its own
 * record wins.
 */
function imported(head: SessionHead, event: EventOf<"session.imported">): SessionHead {
  const { agent_session_id } = event.data;
  const { agent } = head;
  if (agent && (agent.epoch !== undefined || agent.running !== null)) return head;
  // Without an id, the agent's files no longer lead to this conversation.
  if (agent_session_id === null) return { ...head, agent: agent && { ...agent, session_id: null } };
  return {
    ...head,
    supports_resume: true,
    agent: {
      session_id: agent_session_id,
      made_at: agent?.made_at ?? head.created_at,
      reopens: true,
      running: null,
      clean: true,
    },
  };
}

function ended(
  head: SessionHead,
  event: EventOf<"session.completed" | "session.failed" | "session.cancelled">,
): SessionHead {
  const { summary, duration_ms } = event.data;
  return {
    ...head,
    ended: {
      at: event.at,
      duration_ms,
      summary: summary === null ? null : cutText(summary, LIMITS.SUMMARY),
    },
  };
}

function forgetTurn({ turn: _, ...missed }: NonNullable<SessionHead["missed"]> = { from: 0 }) {
  return missed;
}

/** The agent is told about the merge with its next prompt. */
function merged(head: SessionHead, event: EventOf<"session.merged">): SessionHead {
  const { metadata, beside, turns, checkpoints } = event.data;
  const { counts } = head;
  return {
    ...head,
    metadata: mergeMetadata(head.metadata, metadata, event.seq, beside),
    ...(beside && { metadata_row: event.seq }),
    missed: { ...forgetTurn(head.missed), from: head.missed?.from ?? event.seq },
    counts: {
      ...counts,
      turns: counts.turns + turns,
      checkpoints: counts.checkpoints + checkpoints.length,
    },
  };
}

/** The previous agent's process runs until its driver ends it. */
function handedOff(head: SessionHead, event: EventOf<"session.handed_off">): SessionHead {
  const { from, to, agent: known } = event.data;
  const { left, ...memory } = known ?? { left: event.seq - 1 };
  const running = head.agent?.running ?? null;
  const unknown = head.agent && { ...head.agent, session_id: null };
  return {
    ...head,
    agent_name: to,
    agent: "session_id" in memory ? { ...memory, running } : unknown,
    missed: { from: left + 1, by: from },
  };
}

/** An agent that has answered has read the notes it was given. */
function forgetMissed(head: SessionHead, turn_id: string): SessionHead {
  if (head.missed?.turn !== turn_id) return head;
  const { missed: _, ...told } = head;
  return told;
}

function endedTurn(head: SessionHead, event: EventOf<"turn.ended">): SessionHead {
  const { turn_id, outcome, error, usage } = event.data;
  const closed = {
    ...(outcome === "completed" ? forgetMissed(head, turn_id) : head),
    turn: head.turn?.id === turn_id ? null : head.turn,
    queue: without(head.queue, turn_id),
    last_turn: outcome,
    interrupt_requested: false,
    usage: addUsage(head.usage, usage),
    // Only an agent that has answered since then knows about the restored checkpoint.
    restored: outcome === "completed" && head.agent?.session_id != null ? null : head.restored,
  };
  return outcome === "failed" ? withError(closed, error ?? "the turn failed") : closed;
}

function observed(head: SessionHead, event: EventOf<"observation.submitted">): SessionHead {
  const { started_at, ended_at, duration } = event.data;
  const before = head.observation;
  const earlier =
    before?.started_at && readInstant(before.started_at) <= readInstant(started_at)
      ? before.started_at
      : started_at;
  return {
    ...head,
    observation: {
      started_at: earlier,
      ended_at: ended_at ?? before?.ended_at ?? null,
      duration: duration ?? before?.duration ?? null,
    },
    counts: { ...head.counts, observations: head.counts.observations + 1 },
  };
}

function withError(head: SessionHead, error: string): SessionHead {
  return {
    ...head,
    error_count: head.error_count + 1,
    last_error: cutText(error, LIMITS.ERROR),
  };
}

function addUsage(sum: SessionHead["usage"], more: SessionHead["usage"] | null) {
  if (!more) return sum;
  return {
    input_tokens: finiteSum(sum.input_tokens, more.input_tokens),
    output_tokens: finiteSum(sum.output_tokens, more.output_tokens),
    cost_usd: finiteSum(sum.cost_usd, more.cost_usd),
  };
}

function find<T extends Open>(items: readonly T[], id: string): T | undefined {
  return items.find((item) => item.id === id);
}

function without<T extends Open>(items: readonly T[], id: string): readonly T[] {
  return items.filter((item) => item.id !== id);
}
