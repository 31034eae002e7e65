import type { SessionHead } from "../contract/head.ts";
import { isRecord } from "../core/deep-equal.ts";
import type { SessionNotes } from "../core/resume-context.ts";
import { hasNews, writeResumeContext } from "../core/resume-context.ts";
import { iso } from "../core/view-session.ts";
import type { StreamStore } from "../store/stream-store.ts";
import type { FoundSession } from "./find-session.ts";
import { readConversation } from "./read-conversation.ts";
import { knownEvent } from "./read-head-at.ts";
import { readMetadata } from "./read-metadata.ts";

const TURNS = 5;
const ACTIONS = 10;

/** What an agent that takes up this session is told of it; empty when there is nothing to tell. */
export async function describeForResume(
  store: StreamStore,
  found: FoundSession,
  maxTokens: number,
): Promise<string> {
  const notes = await readNotes(store, found);
  return hasNews(notes) ? writeResumeContext(notes, maxTokens) : "";
}

async function readNotes(
  store: StreamStore,
  { stream, head }: FoundSession,
): Promise<SessionNotes> {
  const { id } = stream;
  const [conversation, actions, metadata, questions] = await Promise.all([
    readConversation(store, id, { limit: TURNS }),
    store.readRows(id, { kind: "action", before: Number.MAX_SAFE_INTEGER, limit: ACTIONS }),
    readMetadata(store, id, head),
    readQuestions(store, id, head),
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
    head.approvals.map((open) => store.readEvents(id, { after: open.seq - 1, limit: 1 })),
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
