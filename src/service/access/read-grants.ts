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

/** Another person's session that a person may see. */
export interface Grant {
  readonly stream: StoredStream;
  readonly head: SessionHead;
  readonly role: SessionRole;
}

/** The store and the clock that decide which grants are valid. */
export type GrantContext = Pick<ServiceContext, "store" | "now">;

/** Only this many of the newest shared sessions are read. */
const MOST_SHARED = 1000;

/** A person's current roles in these sessions of others; sessions without a role are omitted. */
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

/** A share that a fork inherited does not count for the fork. */
function shareIn({ rows, stream }: StreamPart, nth: number) {
  const row = rows[nth]?.findLast(({ writer }) => writer === stream.id);
  return readShare(isRecord(row?.data) ? row.data : undefined);
}

/** The ids of sessions that were ever shared with a person. `readGrants` decides which are shared now. */
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

/** The shares of a person end when they are disabled. */
export async function mayShare(store: StreamStore, owner: string): Promise<boolean> {
  return ((await findPerson(store, owner))?.disabled_at ?? null) === null;
}
