import type { SessionHead } from "../../contract/head.ts";
import { isRecord } from "../../contract/is-record.ts";
import type { SessionRole } from "../../contract/vocabulary.ts";
import { isSessionHead } from "../../core/session/known-events.ts";
import {
  EVERYONE,
  readShare,
  roleOf,
  SHARE_ROW,
  SHARED_ROW,
  type Share,
} from "../../core/shares.ts";
import { readParts } from "../../store/read-streams.ts";
import type { StoredPatch, StoredStream, StreamStore } from "../../store/stream-store.ts";
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
export type GrantContext = Pick<ServiceContext, "store" | "now" | "newId">;

/** Only this many of the newest shared sessions are read. */
const MOST_SHARED = 1000;

/** A person's current roles in these sessions of others; sessions without a role are omitted. */
export async function readGrants(
  { store, now }: Pick<GrantContext, "store" | "now">,
  person: string,
  ids: readonly string[],
): Promise<Map<string, Grant>> {
  const grants = new Map<string, Grant>();
  if (ids.length === 0 || !(await isEnabled(store, person))) return grants;
  const rows = [person, EVERYONE].map(newestShare);
  const parts = await store.read(ids.map((id) => ({ ref: { id }, rows })));
  const owners = new Map<string, boolean>();
  for (const part of parts) {
    if (!part) continue;
    const { stream } = part;
    const { head, owner } = stream;
    if (!isSessionHead(head) || head.deleted || owner === person) continue;
    const role = roleOf(
      part.rows.map((shares) => readShareOf(shares, stream.id)),
      now(),
    );
    if (!role) continue;
    const isShown = owners.get(owner) ?? (await isActive(store, owner));
    owners.set(owner, isShown);
    if (isShown) grants.set(stream.id, { stream, head, role });
  }
  return grants;
}

/** The query for the newest share with a person, or with everyone. */
export function newestShare(whom: string) {
  return { kind: SHARE_ROW, key: whom, before: Number.MAX_SAFE_INTEGER, limit: 1 };
}

/** A share that a fork inherited does not count for the fork. */
export function readShareOf(rows: readonly StoredPatch[], session: string): Share | null {
  const row = rows.findLast(({ writer }) => writer === session);
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

/** False for a disabled person, whose shares, links and webhooks end. */
export async function isActive(store: StreamStore, owner: string): Promise<boolean> {
  return ((await findPerson(store, owner))?.disabled_at ?? null) === null;
}
