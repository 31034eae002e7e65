import { CONTINUE_MESSAGE } from "../../contract/continue-message.ts";
import type { SessionHead } from "../../contract/head.ts";
import { isRecord } from "../../contract/is-record.ts";
import type { Turn } from "../../contract/session.ts";
import type { OpenWay } from "../../contract/vocabulary.ts";
import { describeDecision } from "../../core/resume/describe-decision.ts";
import type { Interruption, PastConversation } from "../../core/resume/describe-for-agent.ts";
import { describeForAgent } from "../../core/resume/describe-for-agent.ts";
import type { CallOutcome } from "../../core/session/open-call.ts";
import { readNewDecisions } from "../../service/approval/read-new-decisions.ts";
import { readStateIfAny } from "../../service/read/read-checkpoint.ts";
import { readConversation } from "../../service/read/read-conversation.ts";
import { knownEvent, readHeadAt } from "../../service/read/read-head-at.ts";
import { readEvents, readRows } from "../../store/read-streams.ts";
import type { StreamStore } from "../../store/stream-store.ts";
import { readHandoffNotes } from "./read-handoff-notes.ts";

/** The way in which an agent reopened its session. */
export interface Reopened {
  readonly way: OpenWay;
  /** True if the agent had been shut down cleanly. */
  readonly clean: boolean;
  /** The user's messages that it replayed; null if it does not report them. */
  readonly replayed: readonly string[] | null;
  /** The reasons why better ways to reopen it failed. */
  readonly setbacks: readonly string[];
}

/** The most turns that a new agent is told about; earlier ones are only counted. */
export const TOLD_TURNS = 30;

/** The notes that a reopened agent needs before the prompt of `turn_id`. The head is the one before the turn. */
export async function briefAgent(
  store: StreamStore,
  id: string,
  head: SessionHead,
  turn_id: string,
  reopened: Reopened | null,
): Promise<string> {
  const handoff = await readHandoffNotes(store, id, head);
  // The notes of a handoff already have the decisions.
  const decided = handoff ? [] : await readNewDecisions(store, { id, seq: END }, head);
  const decisions = decided.map(describeDecision);
  const describeRest = async (interruption: Interruption | null) => {
    const missed = await readMissed(store, id, head, turn_id);
    return describeForAgent(interruption, null, missed, handoff, decisions);
  };
  // An agent that kept running has only missed the work and the decisions of others.
  if (reopened === null || reopened.way === "new") return describeRest(null);
  const restored = await readRestored(store, id, head);
  const page = await readConversation(store, id, {
    before: restored?.place,
    limit: TOLD_TURNS + 1,
  });
  const turns = page.turns.filter((turn) => turn.turn_id !== turn_id && turn.status !== "queued");
  const last = turns.at(-1);
  const unheard = reopened.way === "replay" ? [] : await readUnheard(store, id, turns);
  const interruption =
    last && isCutShort(last) && (!reopened.clean || unheard.length > 0)
      ? await readInterruption(store, id, turns, unheard, reopened)
      : null;
  // An agent that came back without a single prompt knows nothing, whatever it reports.
  const knowsNothing = reopened.way === "replay" || reopened.replayed?.length === 0;
  const counted = restored?.turns ?? head.counts.turns;
  const shown = turns.reduce((sum, { merged }) => sum + (merged?.turns ?? 1), 0);
  const earlier = Math.max(0, counted - shown);
  if (!knowsNothing) return describeRest(interruption);
  return describeForAgent(interruption, { turns, earlier, restored }, [], handoff, decisions);
}

const END = Number.MAX_SAFE_INTEGER;

/** The turns that the agent has not seen, oldest first. */
async function readMissed(
  store: StreamStore,
  id: string,
  { missed }: SessionHead,
  turn_id: string,
): Promise<Turn[]> {
  if (!missed) return [];
  const { turns } = await readConversation(store, id, { limit: TOLD_TURNS });
  return turns.filter(
    (turn) => turn.seq >= missed.from && turn.turn_id !== turn_id && turn.status !== "queued",
  );
}

function isCutShort({ status }: Turn): boolean {
  return status === "interrupted" || status === "failed";
}

/** The newest turns that ended without an agent, so their prompts may never have reached one. Oldest first. */
async function readUnheard(store: StreamStore, id: string, turns: readonly Turn[]) {
  const unheard: Turn[] = [];
  for (const turn of turns.toReversed()) {
    if (!isCutShort(turn)) break;
    const [row] = await readRows(store, id, { kind: "turn", after: turn.seq - 1, limit: 1 });
    const end = typeof row?.data.to === "number" ? row.data.to : turn.seq;
    const before = await readHeadAt(store, id, end - 1);
    if (before?.agent?.running != null) break;
    unheard.unshift(turn);
  }
  return unheard;
}

async function readInterruption(
  store: StreamStore,
  id: string,
  turns: readonly Turn[],
  unheard: readonly Turn[],
  { way, replayed }: Reopened,
): Promise<Interruption> {
  const turn = turns.at(-1);
  const rows = await readRows(store, id, {
    kind: "action",
    before: Number.MAX_SAFE_INTEGER,
    limit: 16,
  });
  const calls = rows.flatMap(({ data }) => {
    const outcome = isRecord(data.output) ? outcomeOf(data.output.outcome) : null;
    if (data.turn_id !== turn?.turn_id || !outcome) return [];
    const title = isRecord(data.details) ? data.details.title : null;
    return [{ title: typeof title === "string" ? title : String(data.type), outcome }];
  });
  const maybeLost = unheard.length > 1 ? unheard : cutShortLast(turns);
  // The same text may occur earlier, so only the newest remembered prompts are compared.
  const remembered = replayed?.slice(-maybeLost.length) ?? [];
  const lost = maybeLost.filter(({ input }) => !remembered.some((text) => text.includes(input)));
  // A replay of the past already contains the prompts.
  const knows = way === "replay" || lost.length === 0;
  return { prompt: knows ? null : lost.map(({ input }) => input).join("\n"), calls };
}

/** The newest turn, and the earlier turns that it continued, because their prompts describe the work. */
function cutShortLast(turns: readonly Turn[]): readonly Turn[] {
  const from = turns.findLastIndex(({ input }) => input !== CONTINUE_MESSAGE);
  return turns.slice(Math.max(0, from));
}

function outcomeOf(value: unknown): CallOutcome | null {
  return value === "never_ran" || value === "repeatable" || value === "unknown" ? value : null;
}

/** The restored checkpoint, with its place in the log and the number of turns before it. */
async function readRestored(
  store: StreamStore,
  id: string,
  head: SessionHead,
): Promise<(Restored & { readonly place: number; readonly turns: number }) | null> {
  if (head.restored === null) return null;
  const [stored] = await readEvents(store, id, { after: head.restored - 1, limit: 1 });
  const event = stored && knownEvent(stored);
  if (event?.type !== "checkpoint.restored") return null;
  const { name } = event.data;
  const state = await readStateIfAny(store, id, name);
  if (state === null) return null;
  const rows = await readRows(store, id, { kind: "checkpoint", key: name });
  const place = rows.at(-1)?.place ?? head.restored;
  const then = await readHeadAt(store, id, place);
  return { name, state: JSON.stringify(state), place, turns: then?.counts.turns ?? 0 };
}

type Restored = NonNullable<PastConversation["restored"]>;
