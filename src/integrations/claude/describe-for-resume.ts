import type { SessionHead } from "../../contract/head.ts";
import { isRecord } from "../../contract/is-record.ts";
import { describeDecision } from "../../core/resume/describe-decision.ts";
import type { SessionNotes } from "../../core/resume/resume-context.ts";
import { hasNews, writeResumeContext } from "../../core/resume/resume-context.ts";
import { isSessionHead } from "../../core/session/known-events.ts";
import { iso } from "../../core/view/view-session.ts";
import { readNewDecisions } from "../../service/approval/read-new-decisions.ts";
import type { FoundSession } from "../../service/read/find-session.ts";
import { readConversation } from "../../service/read/read-conversation.ts";
import { knownEvent } from "../../service/read/read-head-at.ts";
import { readMetadata } from "../../service/read/read-metadata.ts";
import type { ServiceContext } from "../../service/service-context.ts";
import { loadStream, readEvents, readRows } from "../../store/read-streams.ts";
import type { StreamStore } from "../../store/stream-store.ts";
import { findResumable } from "./find-resumable.ts";

const TURNS = 5;
const ACTIONS = 10;

/** The session to describe: a given one, or the newest that an agent of this kind could resume here. */
export type NotesOf =
  | { readonly session_id: string }
  | {
      readonly agent_name: string;
      readonly cwd: string;
      /** The session that asks. */
      readonly asking: string | null;
      readonly claude_session_id: string | null;
    };

/** The notes for an agent that continues a session; empty if there is nothing to tell. */
export async function describeForResume(
  context: ServiceContext,
  owner: string,
  of: NotesOf,
  maxTokens: number,
): Promise<string> {
  const found =
    "session_id" in of ? await load(context, owner, of) : await newest(context, owner, of);
  if (!found) return "";
  const notes = await readNotes(context.store, found);
  return hasNews(notes) ? writeResumeContext(notes, maxTokens) : "";
}

async function load(
  { store }: ServiceContext,
  owner: string,
  { session_id: key }: Extract<NotesOf, { session_id: string }>,
): Promise<FoundSession | null> {
  const stream = await loadStream(store, { kind: "session", owner, key });
  const head = stream?.head;
  return stream && isSessionHead(head) && !head.deleted ? { stream, head } : null;
}

async function newest(
  context: ServiceContext,
  owner: string,
  of: Exclude<NotesOf, { session_id: string }>,
): Promise<FoundSession | null> {
  const { agent_name, cwd, asking, claude_session_id } = of;
  const except = ({ head }: FoundSession) => {
    if (head.session_id === asking) return true;
    // A session that the same conversation started and that has recorded nothing yet is still at work.
    const parent = head.metadata.claude_session_id;
    const isSibling =
      parent !== undefined && "value" in parent && parent.value === claude_session_id;
    return isSibling && head.counts.turns === 0;
  };
  return findResumable(context, { owner, agent_name, cwd, except });
}

async function readNotes(
  store: StreamStore,
  { stream, head }: FoundSession,
): Promise<SessionNotes> {
  const { id } = stream;
  const [conversation, actions, metadata, questions, decisions] = await Promise.all([
    readConversation(store, id, { limit: TURNS }),
    readRows(store, id, { kind: "action", before: Number.MAX_SAFE_INTEGER, limit: ACTIONS }),
    readMetadata(store, id, head),
    readQuestions(store, id, head),
    readNewDecisions(store, stream, head),
  ]);
  const turns = conversation.turns.toReversed();
  const late = isRecord(metadata.late) ? metadata.late : {};
  return {
    session_id: head.session_id,
    agent_name: head.agent_name,
    status: head.status,
    phase: head.phase,
    last_activity: iso(head.updated_at),
    questions,
    decisions: decisions.map(describeDecision),
    unanswered: turns
      .filter((turn) => turn.output === "" && turn.input !== "")
      .map((turn) => turn.input),
    findings: textsIn(metadata.findings),
    outputs: [...textsIn(late.output), ...turns.map((turn) => turn.output)].filter(Boolean),
    actions: actions.toReversed().map(({ data }) => describeAction(data)),
  };
}

async function readQuestions(store: StreamStore, id: string, head: SessionHead): Promise<string[]> {
  const events = await Promise.all(
    head.approvals.map((open) => readEvents(store, id, { after: open.seq - 1, limit: 1 })),
  );
  return events
    .flat()
    .toReversed()
    .map((stored) => {
      const event = knownEvent(stored);
      if (event.type !== "approval.requested") return "";
      const { kind, title, body } = event.data;
      return `${kind}: ${title}${body === null ? "" : `\n${body}`}`;
    })
    .filter(Boolean);
}

function describeAction(data: Readonly<Record<string, unknown>>): string {
  const { type, status, result, effects } = data;
  const outcome = status === "started" ? `not finished, effects ${effects}` : (result ?? status);
  return `${type}: ${outcome}`;
}

function textsIn(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  const items = Array.isArray(value) ? value.toReversed() : [value];
  return items.map((item) => (typeof item === "string" ? item : JSON.stringify(item)));
}
