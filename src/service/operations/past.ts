import type { SessionHead } from "../../contract/head.ts";
import type { Output, Parsed } from "../../contract/operations.ts";
import type { AuditEvent, TimelineEvent } from "../../contract/past.ts";
import type { StoredRow } from "../../contract/stream.ts";
import { countSessions } from "../../core/count-sessions.ts";
import { listedSince } from "../../core/list-session.ts";
import { endOfSpan, startOfSpan } from "../../core/time-span.ts";
import { viewEvent } from "../../core/view-event.ts";
import { iso } from "../../core/view-session.ts";
import type { StoredStream, StreamStore } from "../../store/stream-store.ts";
import type { Caller, ServiceContext } from "../context.ts";
import { everySession } from "../every-session.ts";
import { hasScope } from "../expect-scope.ts";
import { findReferring } from "../find-referring.ts";
import type { FoundSession } from "../find-session.ts";
import { findSession } from "../find-session.ts";

/** Operations that tell what has been. */
export const pastOperations = {
  async timeline(
    { store }: ServiceContext,
    input: Parsed<"timeline">,
    caller: Caller,
  ): Promise<Output<"timeline">> {
    const from = input.start_date === undefined ? -Infinity : startOfSpan(input.start_date);
    const to = input.end_date === undefined ? Infinity : endOfSpan(input.end_date);
    const sessions = await findReferring(store, caller.owner, input.entity_id);
    const told = await Promise.all(sessions.map((session) => tell(store, session)));
    const events = told
      .flat()
      .filter(({ at }) => at >= from && at < to)
      .sort((a, b) => a.at - b.at)
      .map(({ event }) => event);
    return { entity_id: input.entity_id, events };
  },

  async audit(
    context: ServiceContext,
    input: Parsed<"audit">,
    caller: Caller,
  ): Promise<Output<"audit">> {
    const since =
      input.since === undefined
        ? input.id === undefined
          ? context.now() - 24 * 3_600_000
          : 0
        : startOfSpan(input.since);
    const streams =
      input.id === undefined
        ? await streamsActiveSince(context.store, caller, since)
        : [(await findSession(context, caller.owner, input.id)).stream];
    const events = await Promise.all(
      streams.map((stream) => eventsSince(context.store, stream, since, input.limit)),
    );
    return {
      events: events
        .flat()
        .sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
        .slice(-input.limit),
    };
  },

  async stats(
    { store }: ServiceContext,
    input: Parsed<"stats">,
    caller: Caller,
  ): Promise<Output<"stats">> {
    const heads: SessionHead[] = [];
    const since = input.from === undefined ? Number.NEGATIVE_INFINITY : startOfSpan(input.from);
    const sessions = everySession(store, caller.owner, {
      ...(input.agent !== undefined && { agent: input.agent }),
      ...(input.to !== undefined && { created_before: endOfSpan(input.to) }),
      ...(input.from !== undefined && { active_after: listedSince(since) }),
    });
    for await (const { head } of sessions) {
      if (!head.deleted && head.updated_at >= since) heads.push(head);
    }
    return { from: input.from ?? null, to: input.to ?? null, ...countSessions(heads) };
  },
};

async function tell(
  store: StreamStore,
  { stream, head }: FoundSession,
): Promise<{ at: number; event: TimelineEvent }[]> {
  const base = {
    session_id: head.session_id,
    session_entity_id: head.entity_id,
    agent_name: head.agent_name,
  };
  const started = head.observation?.started_at ?? iso(head.created_at);
  const ended = head.observation?.ended_at ?? (head.ended ? iso(head.ended.at) : null);
  const [actions, checkpoints] = await Promise.all([
    store.readRows(stream.id, { kind: "action" }),
    store.readRows(stream.id, { kind: "checkpoint" }),
  ]);
  const events: TimelineEvent[] = [
    { ...base, timestamp: started, type: "session_started", name: "started", result: null },
    ...actions.flatMap(({ data }): TimelineEvent[] =>
      typeof data.timestamp === "string"
        ? [
            {
              ...base,
              timestamp: data.timestamp,
              type: "action",
              name: String(data.type),
              result: text(data.result ?? data.status),
            },
          ]
        : [],
    ),
    ...checkpoints.map(
      ({ data }: StoredRow): TimelineEvent => ({
        ...base,
        timestamp: String(data.timestamp),
        type: "checkpoint",
        name: String(data.name),
        result: null,
      }),
    ),
    ...(ended === null
      ? []
      : [
          {
            ...base,
            timestamp: ended,
            type: "session_ended",
            name: head.status,
            result: null,
          } as const,
        ]),
  ];
  return events.map((event) => ({ at: Date.parse(event.timestamp), event }));
}

/** What concerns the store itself, tokens and webhooks among it, is for those who administer it. */
const WORK = ["session", "task"] as const;

async function streamsActiveSince(
  store: StreamStore,
  { owner, scope }: Caller,
  since: number,
): Promise<StoredStream[]> {
  const streams: StoredStream[] = [];
  for (const kind of hasScope(scope, "admin") ? [...WORK, "system" as const] : WORK) {
    let after: string | null | undefined;
    while (after !== null) {
      const page = await store.list({
        kind,
        owner,
        filter: { active_after: listedSince(since) },
        limit: 1000,
        ...(after !== undefined && { after }),
      });
      streams.push(...page.streams);
      after = page.next;
    }
  }
  return streams;
}

async function eventsSince(
  store: StreamStore,
  stream: StoredStream,
  since: number,
  limit: number,
): Promise<AuditEvent[]> {
  const found: AuditEvent[] = [];
  for (let before = stream.seq + 1; before > 1 && found.length < limit; ) {
    const events = await store.readEvents(stream.id, { before, limit: Math.min(limit, 500) });
    const recent = events.filter((event) => event.at >= since);
    found.unshift(
      ...recent.map((event) => ({ ...viewEvent(event), kind: stream.kind, id: stream.key })),
    );
    if (recent.length < events.length || events.length === 0) break;
    before = events[0]?.seq ?? 0;
  }
  return found;
}

function text(value: unknown): string | null {
  return value === undefined || value === null ? null : String(value);
}
