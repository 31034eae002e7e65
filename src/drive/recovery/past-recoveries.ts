import type { SessionHead } from "../../contract/head.ts";
import type { PastRecovery } from "../../contract/recovery.ts";
import { RECOVERED } from "../../core/session/index-session.ts";
import { isSessionHead } from "../../core/session/known-events.ts";
import { iso } from "../../core/view/view-session.ts";
import { placesNamed } from "../../service/read/find-referring.ts";
import { knownEvent } from "../../service/read/read-head-at.ts";
import { readParts } from "../../store/read-streams.ts";
import type { StreamStore } from "../../store/stream-store.ts";

const AT_ONCE = 200;

/** The newest recoveries, newest first. The cost depends on the sessions that were ever recovered, not on all. */
export async function pastRecoveries(
  store: StreamStore,
  owner: string,
  limit: number,
): Promise<PastRecovery[]> {
  const ids = await placesNamed(store, owner, RECOVERED);
  let newest: Found[] = [];
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const found = await findRecoveries(store, ids.slice(from, from + AT_ONCE), limit);
    newest = [...newest, ...found].sort((a, b) => b.at - a.at || b.seq - a.seq).slice(0, limit);
  }
  const parts = await readParts(
    store,
    newest.map(({ id, seq }) => ({ ref: { id }, events: [{ after: seq - 1, limit: 1 }] })),
  );
  return newest.flatMap(({ head }, n) => {
    const [stored] = parts[n]?.events[0] ?? [];
    return stored ? toPastRecovery(head, knownEvent(stored)) : [];
  });
}

interface Found {
  readonly id: string;
  readonly head: SessionHead;
  readonly seq: number;
  readonly at: number;
}

async function findRecoveries(
  store: StreamStore,
  ids: readonly string[],
  limit: number,
): Promise<Found[]> {
  const rows = [{ kind: "recovery", before: Number.MAX_SAFE_INTEGER, limit }];
  const parts = await readParts(
    store,
    ids.map((id) => ({ ref: { id }, rows })),
  );
  return parts.flatMap((part, n) => {
    const head = part?.stream.head;
    const id = ids[n];
    if (id === undefined || !isSessionHead(head) || head.deleted) return [];
    // Recoveries that a fork inherited are listed with its parent.
    const own = (part?.rows[0] ?? []).filter(({ place }) => place > (head.parent?.seq ?? 0));
    return own.flatMap(({ place, data }) =>
      typeof data.at === "number" ? [{ id, head, seq: place, at: data.at }] : [],
    );
  });
}

function toPastRecovery(head: SessionHead, event: ReturnType<typeof knownEvent>): PastRecovery[] {
  if (event.type !== "session.recovered") return [];
  const { status, steps, next_step } = event.data;
  return [
    {
      session_id: head.session_id,
      session_title: head.title,
      agent_name: head.agent_name,
      at: iso(event.at),
      status,
      steps,
      next_step,
      seq: event.seq,
    },
  ];
}
