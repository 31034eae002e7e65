import type { Refusal } from "../../contract/errors.ts";
import { BelayError, refuse } from "../../contract/errors.ts";
import { LOG_START, readLogPlace } from "../../contract/event-cursor.ts";
import type { SessionHead } from "../../contract/head.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { Output, Parsed } from "../../contract/operations.ts";
import { readInstant } from "../../contract/read-instant.ts";
import { endOfSpan } from "../../core/end-of-span.ts";
import { shouldResume } from "../../core/resume/should-resume.ts";
import { listedSince } from "../../core/session/list-session.ts";
import { isListed, listedStatuses } from "../../core/session/listed-statuses.ts";
import { countStatuses } from "../../core/view/count-statuses.ts";
import { matchesWords, wordsOf } from "../../core/view/match-words.ts";
import { viewEvent } from "../../core/view/view-event.ts";
import { readEvents } from "../../store/read-streams.ts";
import type { ListQuery, StoredEvent } from "../../store/stream-store.ts";
import { readNewDecisions } from "../approval/read-new-decisions.ts";
import { cursorOf } from "../follow/event-digest.ts";
import { readEventsAfter } from "../follow/read-events-after.ts";
import type { SessionFilter } from "../read/every-session.ts";
import { findSession } from "../read/find-session.ts";
import { readConversation } from "../read/read-conversation.ts";
import { readPage, searchSessions } from "../read/search-sessions.ts";
import { showSessions, showWholeSession } from "../read/show-session.ts";
import { resumePolicy } from "../resume-policy.ts";
import type { Caller, ServiceContext } from "../service-context.ts";

/** Operations that change nothing. */
export const readingOperations = {
  async get(context: ServiceContext, input: Parsed<"get">, caller: Caller) {
    const found = await findSession(context, caller.owner, input.id);
    return showWholeSession(context, found);
  },

  async list(
    context: ServiceContext,
    input: Parsed<"list">,
    caller: Caller,
  ): Promise<Output<"list">> {
    const { agent, phase, project, task_id, from, to, search, limit, cursor } = input;
    const since = from === undefined ? Number.NEGATIVE_INFINITY : readInstant(from);
    const listed = listedStatuses(input, context.now());
    const filter: SessionFilter = {
      status: listed.statuses,
      ...(listed.failed_since !== null && {
        recent: { value: "failed", after: listedSince(listed.failed_since) },
      }),
      ...(agent !== undefined && { agent }),
      ...(phase !== undefined && { phase }),
      ...(input.interface !== undefined && { interface: input.interface }),
      ...(project !== undefined && { project }),
      ...(task_id !== undefined && { task: task_id }),
      ...(to !== undefined && { created: { before: endOfSpan(to) } }),
      ...(from !== undefined && { activity: { after: listedSince(since) } }),
    };
    const query: ListQuery = {
      kind: "session",
      owner: caller.owner,
      filter,
      limit,
      ...(cursor !== undefined && { after: cursor }),
    };
    const isWanted = ({ updated_at, deleted, status, ended }: SessionHead) =>
      updated_at >= since &&
      (deleted !== null || isListed(listed, status, ended?.at ?? updated_at));
    const words = wordsOf(search ?? "");
    const isMeant = (head: SessionHead) => isWanted(head) && matchesWords(head, words);
    let page =
      search === undefined
        ? await readPage(context.store, query, isWanted)
        : await searchSessions(context.store, query, isMeant);
    let shown = await showSessions(context, page.found);
    // The page ends at its byte limit, so it is read again for the cursor after its last session.
    while (shown.fitting < page.found.length) {
      const shorter = { ...query, limit: shown.fitting };
      page = await searchSessions(context.store, shorter, isMeant);
      shown = await showSessions(context, page.found);
    }
    return {
      sessions: shown.sessions,
      next_cursor: page.next,
      damaged: page.damaged.map(({ id, key }) => ({ entity_id: id, session_id: key })),
    };
  },

  async count(
    { store }: ServiceContext,
    _input: Parsed<"count">,
    caller: Caller,
  ): Promise<Output<"count">> {
    const tallies = await store.tally("session", caller.owner);
    return countStatuses(
      tallies.map(({ value, streams, sum }) => ({ status: value, streams, waiting: sum })),
    );
  },

  async should_resume(
    context: ServiceContext,
    input: Parsed<"should_resume">,
    caller: Caller,
  ): Promise<Output<"should_resume">> {
    const found = await findSession(context, caller.owner, input.id).catch((error: unknown) => {
      if (error instanceof BelayError && error.code === "session_not_found") return null;
      throw error;
    });
    const advice = shouldResume(found?.head ?? null, context.now(), resumePolicy());
    const decisions = found ? await readNewDecisions(context.store, found.stream, found.head) : [];
    return { ...advice, checks: [...advice.checks], decisions };
  },

  async log(context: ServiceContext, input: Parsed<"log">, caller: Caller): Promise<Output<"log">> {
    const { stream } = await findSession(context, caller.owner, input.id);
    const { before, limit } = input;
    const place = readLogPlace(input.after) ?? LOG_START;
    const bytes = LIMITS.PAGE_BYTES;
    const cursorAfter = (events: readonly StoredEvent[]) => {
      const last = events.at(-1);
      return last ? cursorOf(stream.id, last) : null;
    };
    if (before !== undefined) {
      if (place.seq > 0) throw new BelayError(bothWays());
      const events = await readEvents(context.store, stream.id, { before, limit, bytes });
      const first = events[0]?.seq ?? 1;
      const next_cursor = first > 1 ? first : null;
      return { events: events.map(viewEvent), next_cursor, cursor: cursorAfter(events) };
    }
    const events = await readEventsAfter(context.store, stream.id, place, { limit, bytes });
    const last = events.at(-1)?.seq ?? null;
    const isCut = last !== null && (events.length === limit || last < stream.seq);
    return {
      events: events.map(viewEvent),
      next_cursor: isCut ? last : null,
      cursor: cursorAfter(events),
    };
  },

  async turns(
    context: ServiceContext,
    input: Parsed<"turns">,
    caller: Caller,
  ): Promise<Output<"turns">> {
    const { stream } = await findSession(context, caller.owner, input.id);
    return readConversation(context.store, stream.id, input);
  },
};

function bothWays(): Refusal {
  const message = "Use either after or before, not both.";
  return refuse("invalid_input", message, { field: "before" });
}
