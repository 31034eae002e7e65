import type { SessionEvent } from "../../contract/events.ts";
import type { Open, SessionHead } from "../../contract/head.ts";
import { isRecord } from "../../contract/is-record.ts";
import type { NewRow } from "../../contract/stream.ts";
import type { KnownRows } from "../observation/merge-observation.ts";
import { mergeObservation, outcomeKey } from "../observation/merge-observation.ts";
import { ASKS } from "../recovery/recover.ts";
import { EVERYONE, SHARE_ROW } from "../shares.ts";
import { canBeIndexed } from "./can-be-indexed.ts";
import { DIED } from "./evolve-session.ts";
import { METADATA_ROW, mergeRow } from "./metadata.ts";
import type { EventOf } from "./new-head.ts";
import { ENDING_ROW, endingName, questionEnding } from "./question-ending.ts";

interface Indexed {
  readonly rows: readonly NewRow[];
  readonly names: readonly string[];
  /** The row that the event itself opens: the event's data is the first patch. */
  readonly opens?: OpenedRow;
}

export interface OpenedRow {
  readonly kind: string;
  readonly key: string | null;
}

const NOTHING: Indexed = { rows: [], names: [] };

/** The index rows and names that an event adds to its session, given the head before it. */
export function indexSession(
  event: SessionEvent,
  before: SessionHead | null,
  known: KnownRows,
): Indexed {
  const { seq, at } = event;
  const open = (
    kind: string,
    data: Readonly<Record<string, unknown>>,
    key: string | null = null,
  ) => ({
    rows: [{ kind, place: seq, nth: 0, seq, key, data }],
    names: [],
  });
  const patch = (
    kind: string,
    item: Open | undefined | null,
    data: Readonly<Record<string, unknown>>,
    key: string | null = null,
  ): Indexed =>
    item ? { rows: [{ kind, place: item.seq, nth: 0, seq, key, data }], names: [] } : NOTHING;

  switch (event.type) {
    case "session.created":
    case "session.updated": {
      const { metadata = {}, beside } = event.data;
      if (!beside) return NOTHING;
      const held = before?.metadata ?? {};
      return open(METADATA_ROW, mergeRow(known.metadata ?? {}, held, metadata, seq, beside));
    }
    case "session.shared":
    case "session.unshared": {
      const { person, ...share } = { role: null, until: null, ...event.data };
      return open(SHARE_ROW, share, person ?? EVERYONE);
    }
    case "session.forked":
      return {
        rows: dropped(event.seq, before),
        names: [forkName(event.data.parent.entity_id)],
      };
    case "session.merged":
      return indexMerge(event, before, known);
    case "session.handed_off": {
      if (!before?.agent?.session_id) return NOTHING;
      const { running, epoch: _, ...memory } = before.agent;
      const clean = memory.clean && running === null;
      return open("agent", { ...memory, clean, left: seq - 1 }, event.data.from);
    }
    case "phase.changed":
      return open("phase", { from_phase: event.data.from, to_phase: event.data.to, at });
    case "message.queued":
      return open("turn", { turn_id: event.data.turn_id, status: "queued", from: seq });
    case "turn.started": {
      const { turn_id } = event.data;
      const queued = before?.queue.find((item) => item.id === turn_id);
      const started = { turn_id, status: "started", started_at: at };
      return queued ? patch("turn", queued, started) : open("turn", { ...started, from: seq });
    }
    case "turn.ended": {
      const { turn_id, outcome } = event.data;
      const turn =
        before?.turn?.id === turn_id
          ? before.turn
          : before?.queue.find((item) => item.id === turn_id);
      return patch("turn", turn, { status: outcome, ended_at: at, to: seq });
    }
    case "turn.recorded":
      return isBrief(event.data) ? { ...NOTHING, opens: RECORDED_TURN } : open("turn", {});
    case "agent.started": {
      const { way } = event.data;
      const life = { way, pid: event.data.process.pid, status: "started", started_at: at };
      // The end of the previous process was not recorded, but two cannot run at once.
      const unseen = patch("life", runningLife(before), { status: DIED, ended_at: at });
      return { rows: [...unseen.rows, ...open("life", life).rows], names: [] };
    }
    case "session.imported": {
      const { turns, turn_id, items } = event.data;
      const counted = before?.counts.turns ?? 0;
      return open("import", { entity_id: before?.entity_id, turns, turn_id, items, counted });
    }
    case "agent.stopped":
      return patch("life", runningLife(before), { status: event.data.reason, ended_at: at });
    case "session.recovered": {
      const { status, steps } = event.data;
      const asked = steps.filter(({ step }) => ASKS.has(step)).map(({ action_id }) => action_id);
      return {
        ...open("recovery", { status, steps: steps.length, asked, at }),
        names: [RECOVERED],
      };
    }
    case "action.started": {
      const { action_id, type, effects, details, turn_id } = event.data;
      const timestamp = new Date(at).toISOString();
      return {
        ...open(
          "action",
          { action_id, turn_id, type, effects, status: "started", details, timestamp },
          type,
        ),
        names: entityNames(details),
      };
    }
    case "action.described": {
      const { action_id, details, ...kind } = event.data;
      const open = before?.actions.find((item) => item.id === action_id);
      return { ...patch("action", open, { details, ...kind }), names: entityNames(details) };
    }
    case "action.completed": {
      const { action_id, status, result, details } = event.data;
      const started = before?.actions.find((item) => item.id === action_id);
      const ended = patch("action", started, {
        status,
        result,
        ended_at: new Date(at).toISOString(),
        ...(Object.keys(details).length > 0 ? { output: details } : {}),
      });
      const isDone = started && status === "completed";
      const done = isDone ? open(DONE_ROW, { place: started.seq }, action_id).rows : [];
      return { rows: [...ended.rows, ...done], names: entityNames(details) };
    }
    case "checkpoint.saved": {
      const { checkpoint_id, name, state, entities, files, files_skipped } = event.data;
      const timestamp = new Date(at).toISOString();
      const recorded = { ...(files && { files }), ...(files_skipped && { files_skipped }) };
      return {
        ...open("checkpoint", { checkpoint_id, name, timestamp, saved: seq, ...recorded }, name),
        names: [checkpointIdName(checkpoint_id), ...(entities ?? entityNames(state))],
      };
    }
    case "approval.requested": {
      const { approval_id, kind, title } = event.data;
      const question = { approval_id, kind, title, status: "pending", requested_at: at };
      const ending = questionEnding(approval_id);
      return {
        rows: [
          ...open("approval", question).rows,
          ...(ending ? open(ENDING_ROW, { approval_id }, ending).rows : []),
        ],
        names: [`approval:${approval_id}`, ...(ending ? [endingName(ending)] : [])],
      };
    }
    case "approval.decided": {
      const { approval_id, decision, note, always } = event.data;
      return patch(
        "approval",
        before?.approvals.find((item) => item.id === approval_id),
        {
          status: decision,
          note,
          decided_at: at,
          ...(always ? { always } : {}),
        },
      );
    }
    case "approval.expired": {
      const { approval_id, reason } = event.data;
      return patch(
        "approval",
        before?.approvals.find((item) => item.id === approval_id),
        {
          status: "expired",
          note: reason,
          decided_at: at,
        },
      );
    }
    case "outcome.recorded": {
      const { type, id, details } = event.data;
      return {
        ...open(
          "outcome",
          { type, ...(id === null ? {} : { id }), details },
          outcomeKey({ type, id }),
        ),
        names: id === null ? entityNames(details) : [`entity:${id}`, ...entityNames(details)],
      };
    }
    case "artifact.recorded":
      return open("artifact", { ...event.data, created_at: at });
    case "observation.submitted":
      return {
        rows: mergeObservation(event.data, known, seq),
        names: [
          ...event.data.actions.flatMap((action) => entityNames(action.details)),
          ...(event.data.checkpoints ?? []).flatMap((checkpoint) => entityNames(checkpoint.state)),
          ...(event.data.outcomes ?? []).flatMap(({ id, details }) => [
            ...(id === undefined ? [] : [`entity:${id}`]),
            ...entityNames(details),
          ]),
        ],
      };
    default:
      return NOTHING;
  }
}

const RECORDED_TURN: OpenedRow = { kind: "turn", key: null };

/** A long turn gets a separate row, so that reading the index does not read the whole texts. */
function isBrief({ input, output }: EventOf<"turn.recorded">["data"]): boolean {
  return input.length + output.length <= BRIEF_TURN;
}

const BRIEF_TURN = 8192;

/** The name that finds a checkpoint if its session is unknown. */
export function checkpointIdName(checkpoint_id: string): string {
  return `checkpoint:${checkpoint_id}`;
}

/** The name that finds the forks of a session. */
export function forkName(entity_id: string): string {
  return `fork:${entity_id}`;
}

/** The name that finds the sessions that a session was merged into. */
export function mergeName(entity_id: string): string {
  return `merged:${entity_id}`;
}

/** A merge is one entry of the conversation, and adds the rows that are looked up by name. */
function indexMerge(
  event: EventOf<"session.merged">,
  before: SessionHead | null,
  known: KnownRows,
): Indexed {
  const { seq, data } = event;
  const rows = (
    kind: string,
    items: readonly { readonly key: string | null; readonly row: NewRow["data"] }[],
  ): NewRow[] => items.map(({ key, row }, nth) => ({ kind, place: seq, nth, seq, key, data: row }));
  const { from, turns } = data;
  const covers = data.covers.map((range, nth) => ({
    key: range.entity_id,
    // The first row describes the whole merge.
    row: { ...range, ...(nth === 0 && { turns, from: from.entity_id, end: from.to }) },
  }));
  const held = before?.metadata ?? {};
  const beside = data.beside && {
    key: null,
    row: mergeRow(known.metadata ?? {}, held, data.metadata, seq, data.beside),
  };
  return {
    rows: [
      ...rows("turn", [{ key: null, row: { status: MERGED, turns: data.turns } }]),
      ...rows("merge", covers),
      ...rows("checkpoint", data.checkpoints),
      ...rows(
        "artifact",
        data.artifacts.map((row) => ({ key: null, row })),
      ),
      ...rows("outcome", data.outcomes),
      ...rows(METADATA_ROW, beside ? [beside] : []),
    ],
    names: data.covers.map(({ entity_id }) => mergeName(entity_id)),
  };
}

/** The kind of the rows that find completed actions by their ids; the content is the place of the action's row. */
export const DONE_ROW = "completion";

/** The status of a merge among turns. */
const MERGED = "merged";

/** The name that finds all sessions that were ever recovered. */
export const RECOVERED = "recovered";

/** The running process of the agent, identified by the event that recorded its start. */
function runningLife(head: SessionHead | null): Open | null {
  const seq = head?.agent?.running ?? null;
  return seq === null ? null : { id: "", seq };
}

/** Items that were under way at the fork point are closed in the fork. */
function dropped(seq: number, before: SessionHead | null): NewRow[] {
  if (!before) return [];
  const life = runningLife(before);
  const drop = (kind: string, items: readonly Open[], status: string): NewRow[] =>
    items.map((item) => ({ kind, place: item.seq, nth: 0, seq, key: null, data: { status } }));
  return [
    ...drop("turn", before.turn ? [before.turn, ...before.queue] : before.queue, "dropped"),
    ...drop("action", before.actions, "dropped"),
    ...drop("approval", before.approvals, "dropped"),
    ...drop("life", life ? [life] : [], "dropped"),
  ];
}

/** The entities that a value refers to: its `*_id` and `*_ids` fields, at any depth. */
export function entityNames(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(entityNames);
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    if (key.endsWith("_id") && typeof item === "string" && item !== "") {
      return canBeIndexed(item) ? [`entity:${item}`] : [];
    }
    if (key.endsWith("_ids") && Array.isArray(item)) {
      return item.flatMap((id) =>
        typeof id === "string" && id !== "" && canBeIndexed(id)
          ? [`entity:${id}`]
          : entityNames(id),
      );
    }
    return entityNames(item);
  });
}
