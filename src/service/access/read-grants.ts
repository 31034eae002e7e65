import type { SessionHead } from "../../contract/head.ts";
import { isRecord } from "../../contract/is-record.ts";
import type { StoredRow } from "../../contract/stream.ts";
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
import type {
  StoredPatch,
  StoredStream,
  StreamRef,
  StreamStore,
} from "../../store/stream-store.ts";
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

/** Only this many of the newest sessions that one owner shares are read, so that no owner hides the sessions of others. */
const MOST_SHARED = 1000;
const ROWS_AT_ONCE = 1000;
/** A list that is longer is read only this far, so that nobody makes the requests of others slow. */
const MOST_ROWS = 20_000;

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
  const lists = [personStream(person), everyoneStream()].map((ref) => new SharedList(ref));
  for (let open = lists; open.length > 0; open = open.filter((list) => !list.isWhole)) {
    const parts = await readParts(
      store,
      open.map(({ ref, before }) => ({
        ref,
        rows: [{ kind: SHARED_ROW, before, limit: ROWS_AT_ONCE }],
      })),
    );
    for (const [n, list] of open.entries()) list.add(parts[n]?.rows[0] ?? []);
  }
  return [...new Set(lists.flatMap(({ ids }) => ids.toReversed()))];
}

/** The sessions that one stream lists, read backwards. */
class SharedList {
  readonly ref: StreamRef;
  /** Newest first. */
  readonly ids: string[] = [];
  before = Number.MAX_SAFE_INTEGER;
  isWhole = false;
  #rows = 0;
  readonly #seen = new Set<string>();
  readonly #counts = new Map<string, number>();

  constructor(ref: StreamRef) {
    this.ref = ref;
  }

  add(rows: readonly StoredRow[]): void {
    // Rows of older versions name no owner. Several of them may be about one session, and the newest decides.
    for (const { key, data } of rows.toReversed()) {
      if (key === null || this.#seen.has(key)) continue;
      this.#seen.add(key);
      const owner = String(data.owner);
      const count = this.#counts.get(owner) ?? 0;
      if (data.role === null || count >= MOST_SHARED) continue;
      this.#counts.set(owner, count + 1);
      this.ids.push(key);
    }
    this.before = rows[0]?.place ?? 0;
    this.#rows += rows.length;
    this.isWhole = rows.length < ROWS_AT_ONCE || this.#rows >= MOST_ROWS;
  }
}

async function isEnabled(store: StreamStore, name: string): Promise<boolean> {
  return (await findPerson(store, name))?.disabled_at === null;
}

/** False for a disabled person, whose shares, links and webhooks end. */
export async function isActive(store: StreamStore, owner: string): Promise<boolean> {
  return ((await findPerson(store, owner))?.disabled_at ?? null) === null;
}
