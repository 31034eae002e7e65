import { BelayError } from "../../contract/errors.ts";
import { ownerIn } from "../../contract/id-pattern.ts";
import type { Output, Parsed } from "../../contract/operations.ts";
import type { Approval } from "../../contract/session.ts";
import { isSessionHead } from "../../core/session/known-events.ts";
import { loadStream } from "../../store/read-streams.ts";
import type { ListQuery } from "../../store/stream-store.ts";
import { type FoundSession, findSession } from "../read/find-session.ts";
import { searchSessions } from "../read/search-sessions.ts";
import type { Caller, ServiceContext } from "../service-context.ts";
import { type Asking, readApprovals } from "./read-approvals.ts";
import { approvalNotFound, readApproval, readDecidedApprovals } from "./read-decided-approvals.ts";

type Listed = Output<"list_approvals">;

/** Lists open or decided approvals of all sessions or of one, or shows one approval. */
export async function listApprovals(
  context: ServiceContext,
  input: Parsed<"list_approvals">,
  caller: Caller,
): Promise<Listed> {
  const { id, approval_id, decided } = input;
  const { store } = context;
  const session = id === undefined ? null : await findSession(context, caller.owner, id);
  const whole = { next_cursor: null, damaged: [] };
  if (approval_id !== undefined) {
    return { approvals: [await findOne(context, caller, approval_id, session)], ...whole };
  }
  if (session) {
    const read = decided ? readDecidedApprovals : readApprovals;
    return { approvals: (await read(store, [askingOf(session)])).approvals, ...whole };
  }
  const { limit, cursor } = input;
  const query = { kind: "session", owner: caller.owner, limit } as const;
  const from = { ...query, ...(cursor !== undefined && { after: cursor }) };
  return decided ? listDecided(context, { ...from, filter: {} }) : listOpen(context, from);
}

/** An approval by its whole id, in the given session or in the caller's own. */
async function findOne(
  { store }: ServiceContext,
  caller: Caller,
  approval_id: string,
  session: FoundSession | null,
): Promise<Approval> {
  const owner = (session && ownerIn(session.stream.key)) ?? caller.owner;
  const [place] = await store.findByName(owner, `approval:${approval_id}`, { limit: 1 });
  const isThere = place && (!session || session.stream.id === place.id);
  const stream = isThere ? await loadStream(store, { id: place.id }) : undefined;
  if (!place || !stream || !isSessionHead(stream.head)) {
    throw new BelayError(approvalNotFound(approval_id));
  }
  const asking = askingOf({ stream, head: stream.head });
  return readApproval(store, asking, approval_id, place.seq);
}

async function listOpen(
  { store }: ServiceContext,
  from: Omit<ListQuery, "filter">,
): Promise<Listed> {
  const query = { ...from, filter: { waiting: true } };
  const page = await store.list(query);
  const asking = page.streams.flatMap(({ id, head, lease }) =>
    isSessionHead(head) && !head.deleted ? [{ id, head, lease }] : [],
  );
  const { approvals, sessions } = await readApprovals(store, asking);
  const damaged = page.damaged.map(({ key }) => key);
  const last = asking[sessions - 1];
  if (sessions === asking.length || !last) {
    return { approvals, next_cursor: page.next, damaged };
  }
  // The page ends at its byte limit, and only a page's end has a cursor.
  const limit = page.streams.findIndex(({ id }) => id === last.id) + 1;
  const { next } = await store.list({ ...query, limit });
  return { approvals, next_cursor: next, damaged };
}

/** Reads a limited number of sessions, so a page may be short before the end. */
async function listDecided({ store }: ServiceContext, query: ListQuery): Promise<Listed> {
  const find = (limit: number) =>
    searchSessions(
      store,
      { ...query, limit },
      ({ counts, approvals, deleted }) => deleted === null && counts.approvals > approvals.length,
    );
  const { found, next, damaged } = await find(query.limit);
  const { approvals, sessions } = await readDecidedApprovals(store, found.map(askingOf));
  return {
    approvals: approvals.toSorted(byDecision),
    next_cursor: sessions < found.length ? (await find(sessions)).next : next,
    damaged: damaged.map(({ key }) => key),
  };
}

function byDecision(a: Approval, b: Approval): number {
  return Date.parse(b.decided?.decided_at ?? "") - Date.parse(a.decided?.decided_at ?? "");
}

function askingOf({ stream: { id, lease }, head }: FoundSession): Asking {
  return { id, head, lease };
}
