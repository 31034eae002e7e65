import type { SessionEvent } from "../../contract/events.ts";
import type { SessionHead } from "../../contract/head.ts";
import { mergeMetadata } from "./metadata.ts";

export type EventOf<T extends SessionEvent["type"]> = Extract<SessionEvent, { type: T }>;

const NO_USAGE = { input_tokens: 0, output_tokens: 0, cost_usd: 0 };

export function firstHead(event: EventOf<"session.created">): SessionHead {
  const { metadata, beside, ...data } = event.data;
  return {
    kind: "session",
    ...data,
    parent: null,
    status: "created",
    suspend_reason: null,
    suspended_until: null,
    phase: "initializing",
    run: 1,
    run_started_at: event.at,
    created_at: event.at,
    updated_at: event.at,
    observation: null,
    ended: null,
    pinned: false,
    deleted: null,
    metadata: mergeMetadata({}, metadata, event.seq, beside),
    ...(beside && { metadata_row: event.seq }),
    resume_ready: true,
    error_count: 0,
    last_error: null,
    checkpoint_id: null,
    restored: null,
    agent: null,
    recent_phases: [],
    turn: null,
    queue: [],
    actions: [],
    approvals: [],
    last_action: null,
    interrupt_requested: false,
    counts: {
      phases: 0,
      turns: 0,
      actions: 0,
      checkpoints: 0,
      approvals: 0,
      observations: 0,
      resumes: 0,
    },
    usage: NO_USAGE,
  };
}

/** A fork keeps the conversation and the results, and drops everything that was under way. */
export function forkedHead(head: SessionHead, event: EventOf<"session.forked">): SessionHead {
  const { title, agent_name = head.agent_name, ...data } = event.data;
  // The token that recorded the parent has no rights on the fork.
  const { last_turn: _, recorder: __, missed: ___, ...kept } = head;
  return {
    ...kept,
    ...data,
    agent_name,
    title: title ?? head.title,
    observed: false,
    status: "created",
    suspend_reason: null,
    suspended_until: null,
    phase: "initializing",
    run: 1,
    run_started_at: event.at,
    created_at: event.at,
    ended: null,
    pinned: false,
    deleted: null,
    resume_ready: true,
    error_count: 0,
    last_error: null,
    restored: null,
    agent: null,
    turn: null,
    queue: [],
    actions: [],
    approvals: [],
    last_action: null,
    interrupt_requested: false,
    counts: { ...head.counts, resumes: 0 },
    usage: NO_USAGE,
  };
}
