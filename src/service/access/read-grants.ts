import type { SessionHead } from "../../contract/head.ts";
import { isRecord } from "../../contract/is-record.ts";
import type { SessionRole } from "../../contract/vocabulary.ts";
import { isSessionHead } from "../../core/session/known-events.ts";
import { EVERYONE, readShare, roleOf, SHARE_ROW, SHARED_ROW } from "../../core/shares.ts";
import { readParts } from "../../store/read-streams.ts";
import type { StoredStream, StreamPart, StreamStore } from "../../store/stream-store.ts";
import { findPerson } from "../read/find-person.ts";
import { everyoneStream, personStream } from "../record-system-fact.ts";
import type { ServiceContext } from "../service-context.ts";

/** A session of someone else's that a person may see. */
export interface Grant {
  readonly stream: StoredStream;
  readonly head: SessionHead;
  readonly role: SessionRole;
}

/** Where grants are looked up; what ends at a time ends by this clock. */
export type GrantContext = Pick<ServiceContext, "store" | "now">;

/** Sessions that were shared with a person, and with everyone, the newest: more are not looked at. */
const MOST_SHARED = 1000;

/** What a person may do in these sessions of others just now; those in which that is nothing are left out. */
export async function readGrants(
  { store, now }: GrantContext,
  person: string,
  ids: readonly string[],
): Promise<Map<string, Grant>> {
  const grants = new Map<string, Grant>();
  if (ids.length === 0 || !(await isEnabled(store, person))) return grants;
  const newest = (key: string) => ({ kind: SHARE_ROW, key, before: Number.MAX_SAFE_INTEGER });
  const rows = [person, EVERYONE].map((key) => ({ ...newest(key), limit: 1 }));
  const parts = await store.read(ids.map((id) => ({ ref: { id }, rows })));
  const owners = new Map<string, boolean>();
  for (const part of parts) {
    if (!part) continue;
    const { stream } = part;
    const { head, owner } = stream;
    if (!isSessionHead(head) || head.deleted || owner === person) continue;
    const role = roleOf([shareIn(part, 0), shareIn(part, 1)], now());
    if (!role) continue;
    const isShown = owners.get(owner) ?? (await mayShare(store, owner));
    owners.set(owner, isShown);
    if (isShown) grants.set(stream.id, { stream, head, role });
  }
  return grants;
}

/** What a fork has inherited is no share of it. */
function shareIn({ rows, stream }: StreamPart, nth: number) {
  const row = rows[nth]?.findLast(({ writer }) => writer === stream.id);
  return readShare(isRecord(row?.data) ? row.data : undefined);
}

/** The ids of sessions that were shared with a person at some time. What holds now, `readGrants` says. */
export async function listShared(store: StreamStore, person: string): Promise<string[]> {
  const last = { kind: SHARED_ROW, before: Number.MAX_SAFE_INTEGER, limit: MOST_SHARED };
  const refs = [personStream(person), everyoneStream()];
  const parts = await readParts(
    store,
    refs.map((ref) => ({ ref, rows: [last] })),
  );
  const ids = parts.flatMap((part) => {
    const roles = new Map<string, unknown>();
    for (const { key, data } of part?.rows[0] ?? []) if (key !== null) roles.set(key, data.role);
    return [...roles].flatMap(([id, role]) => (role === null ? [] : id));
  });
  return [...new Set(ids)];
}

async function isEnabled(store: StreamStore, name: string): Promise<boolean> {
  return (await findPerson(store, name))?.disabled_at === null;
}

/** What someone has shared ends when they are disabled. */
async function mayShare(store: StreamStore, owner: string): Promise<boolean> {
  return ((await findPerson(store, owner))?.disabled_at ?? null) === null;
}
