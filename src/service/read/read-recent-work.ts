import { isRecord } from "../../contract/is-record.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { StoredRow } from "../../contract/stream.ts";
import { readParts } from "../../store/read-streams.ts";
import type { Caller, ServiceContext } from "../service-context.ts";
import { findSession } from "./find-session.ts";

/** The newest work in a session, oldest first. */
export interface RecentWork {
  readonly open_actions: readonly RecentAction[];
  readonly ended_actions: readonly RecentAction[];
  readonly checkpoints: readonly { readonly name: string; readonly timestamp: string }[];
  readonly outcomes: readonly { readonly type: string; readonly id: string | null }[];
}

export interface RecentAction {
  readonly type: string;
  readonly title: string | null;
  readonly timestamp: string | null;
  readonly status: string | null;
}

/** The number of items of each kind. */
const SHOWN = 5;

/**
 * The cost depends on the shown part, not on the session's length. An action that was open for long is found by its
 * place.
 */
export async function readRecentWork(
  context: ServiceContext,
  caller: Caller,
  id: string,
): Promise<RecentWork> {
  const { stream, head } = await findSession(context, caller.owner, id);
  const bytes = LIMITS.PAGE_BYTES;
  const newest = { before: Number.MAX_SAFE_INTEGER, limit: SHOWN, bytes };
  const opened = head.actions.slice(-SHOWN);
  const [part] = await readParts(context.store, [
    {
      ref: { id: stream.id },
      rows: [
        // Read more, because some of them may be open.
        { kind: "action", ...newest, limit: SHOWN + opened.length },
        { kind: "checkpoint", ...newest },
        { kind: "outcome", ...newest },
        ...opened.map(({ seq }) => ({ kind: "action", after: seq - 1, limit: 1 })),
      ],
    },
  ]);
  const [actions = [], checkpoints = [], outcomes = [], ...open] = part?.rows ?? [];
  const isEnded = ({ data }: StoredRow) => data.status !== "started";
  return {
    open_actions: open.flatMap((rows) => rows.slice(0, 1).map(actionIn)),
    ended_actions: actions.filter(isEnded).slice(-SHOWN).map(actionIn),
    checkpoints: checkpoints.slice(-SHOWN).map(({ data }) => ({
      name: String(data.name),
      timestamp: String(data.timestamp),
    })),
    outcomes: outcomes
      .slice(-SHOWN)
      .map(({ data }) => ({ type: String(data.type), id: textOf(data.id) })),
  };
}

/** An outside agent's action has a result instead of a status. */
function actionIn({ data }: StoredRow): RecentAction {
  return {
    type: String(data.type),
    title: isRecord(data.details) ? textOf(data.details.title) : null,
    timestamp: textOf(data.timestamp),
    status: textOf(data.result) ?? textOf(data.status),
  };
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}
