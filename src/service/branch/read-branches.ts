import type { SessionHead } from "../../contract/head.ts";
import type { Output, Parsed } from "../../contract/operations.ts";
import { forkName, mergeName } from "../../core/session/index-session.ts";
import { isSessionHead } from "../../core/session/known-events.ts";
import { loadStream } from "../../store/read-streams.ts";
import type { StreamStore } from "../../store/stream-store.ts";
import { findSession } from "../read/find-session.ts";
import type { Caller, ServiceContext } from "../service-context.ts";

const MOST = 200;

/** The tree of forks that a session belongs to, starting at the oldest existing ancestor. */
export async function readBranches(
  context: ServiceContext,
  input: Parsed<"branches">,
  caller: Caller,
): Promise<Output<"branches">> {
  const { store } = context;
  let { head: root } = await findSession(context, caller.owner, input.id);
  for (let parent = await loadParent(store, root); parent; parent = await loadParent(store, root)) {
    root = parent;
  }
  const branches: Output<"branches">["branches"] = [];
  const open = [{ head: root, depth: 0 }];
  for (let next = open.shift(); next && branches.length < MOST; next = open.shift()) {
    const { head, depth } = next;
    branches.push({ ...(await viewBranch(store, caller.owner, head)), depth });
    const forks = await loadNamed(store, caller.owner, forkName(head.entity_id));
    open.unshift(...forks.map((fork) => ({ head: fork, depth: depth + 1 })));
  }
  return { branches, more: open.length > 0 };
}

async function loadParent(
  store: StreamStore,
  { parent, owner }: SessionHead,
): Promise<SessionHead | null> {
  const stream = parent && (await loadStream(store, { id: parent.entity_id }));
  // A fork of another person's shared session starts a tree of its own.
  return isSessionHead(stream?.head) && stream.owner === owner ? stream.head : null;
}

async function loadNamed(store: StreamStore, owner: string, name: string): Promise<SessionHead[]> {
  const places = await store.findByName(owner, name, { limit: MOST });
  const streams = await store.read(places.map(({ id }) => ({ ref: { id } })));
  return streams.flatMap((part) => (isSessionHead(part?.stream.head) ? [part.stream.head] : []));
}

async function viewBranch(store: StreamStore, owner: string, head: SessionHead) {
  const { session_id, entity_id, agent_name, title, status, parent } = head;
  const merged = await loadNamed(store, owner, mergeName(entity_id));
  return {
    session_id,
    entity_id,
    parent_session_id: parent?.session_id ?? null,
    at: parent?.seq ?? null,
    agent_name,
    title,
    status,
    turns: head.counts.turns,
    merged_into: merged.map((into) => into.session_id),
    deleted: head.deleted !== null,
  };
}
