import { BelayError, refuse } from "../../contract/errors.ts";
import type { SessionHead } from "../../contract/head.ts";
import type { Output, Parsed } from "../../contract/operations.ts";
import { judgeCleanup } from "../../core/judge-cleanup.ts";
import { judgeClock } from "../../core/judge-clock.ts";
import { judgeExpiry } from "../../core/judge-expiry.ts";
import { isSessionHead } from "../../core/session/known-events.ts";
import { readMachineUptime } from "../../process/read-proc.ts";
import type { StoredStream, StreamStore } from "../../store/stream-store.ts";
import { originOf } from "../change-session.ts";
import { sessionsAtOnce } from "../change-sessions.ts";
import { expectOne } from "../expect-one.ts";
import { everySession, type SessionFilter } from "../read/every-session.ts";
import { readExpiration } from "../retention/expiration.ts";
import { findRemains } from "../retention/find-remains.ts";
import type { Removal } from "../retention/remove-sessions.ts";
import {
  decideRemoval,
  findExpired,
  isMerged,
  notifyChanged,
  purgeExpired,
  REMOVED_AT_ONCE,
} from "../retention/remove-sessions.ts";
import { readLastServed, readServed } from "../retention/served-time.ts";
import type { Caller, ServiceContext } from "../service-context.ts";

/** Old sessions move to the trash; only those that were there long enough are purged. */
export async function cleanup(
  context: ServiceContext,
  input: Parsed<"cleanup">,
  caller: Caller,
): Promise<Output<"cleanup">> {
  const now = context.now();
  const { judge, filter } = await chooseRemoval(context, input, caller, now);
  const served_ms = await readServed(context.store);
  const removal: Removal = { reason: "cleanup", served_ms, judge };
  // A person asked for it, so only the clock counts, with or without a server.
  const isExpired = ({ deleted }: SessionHead) => deleted !== null && deleted.purge_at <= now;
  const old: StoredStream[] = [];
  const kept: Output<"cleanup">["protected"] = [];
  for await (const { stream, head } of everySession(context.store, caller.owner, filter)) {
    const verdict = removal.judge(head, stream.lease?.live ?? false);
    if (verdict.remove) old.push(stream);
    else if (verdict.because) {
      kept.push({ session_id: head.session_id, because: verdict.because });
    }
  }
  const expired: StoredStream[] = [];
  for (const stream of await findExpired(context.store, caller.owner, isExpired)) {
    if (await isMerged(context.store, caller.owner, stream.id)) {
      kept.push({ session_id: stream.key, because: "its turns are part of a merged session" });
    } else expired.push(stream);
  }
  const remains = await findRemains(context.store, caller.owner, expired);
  if (input.dry_run) {
    const removed = old.map(({ key }) => key);
    const purged = expired.map(({ key }) => key);
    return { removed, purged, ...remains, protected: kept, dry_run: true };
  }
  if (!input.force && old.length + expired.length > 0) await expectSoundClock(context.store, now);
  const removed: string[] = [];
  const most = sessionsAtOnce(context.store, REMOVED_AT_ONCE);
  for (let at = 0; at < old.length; at += most) {
    removed.push(...(await remove(context, caller, old.slice(at, at + most), removal)));
  }
  const purged: string[] = [];
  for (const session of expired) {
    if (await purgeExpired(context, caller, session, isExpired)) purged.push(session.key);
  }
  return { removed, purged, ...remains, protected: kept, dry_run: false };
}

/** Selects sessions without activity for this long, or those that have expired. */
async function chooseRemoval(
  { store }: ServiceContext,
  { hours, expired }: Parsed<"cleanup">,
  { owner }: Caller,
  now: number,
): Promise<Pick<Removal, "judge"> & { readonly filter: SessionFilter }> {
  expectOne("hours", hours, expired, "expired");
  if (hours === undefined) {
    const days = await readExpiration(store, owner);
    return { judge: (head, driven) => judgeExpiry(head, days, now, driven), filter: {} };
  }
  const before = now - hours * 3_600_000;
  const judge: Removal["judge"] = (head, driven) => judgeCleanup(head, before, driven);
  return { judge, filter: { activity: { before } } };
}

/** A session removed because of a wrong clock is lost after 7 more days. */
async function expectSoundClock(store: StreamStore, now: number): Promise<void> {
  const { boot_id, up_ms } = readMachineUptime();
  const served = await readLastServed(store);
  const isSameStart = served !== null && boot_id !== null && served.boot_id === boot_id;
  const doubt = judgeClock(now, {
    newest_write: await findNewestWrite(store),
    served_at: isSameStart ? served.at : null,
    machine_up_ms: up_ms,
  });
  if (doubt === null) return;
  const clock = new Date(now).toISOString().slice(0, 16);
  const message = `The clock may be wrong: it says ${clock}, but ${doubt}. Correct the clock, or use "force" to remove sessions anyway.`;
  throw new BelayError(refuse("clock_uncertain", message, { now: clock }));
}

/** Covers all owners. */
async function findNewestWrite(store: StreamStore): Promise<number | null> {
  const query = { kind: "session", owner: null, filter: {}, limit: 1 } as const;
  const [newest] = (await store.list(query)).streams;
  return isSessionHead(newest?.head) ? newest.head.updated_at : null;
}

async function remove(
  context: ServiceContext,
  caller: Caller,
  sessions: readonly StoredStream[],
  removal: Removal,
): Promise<string[]> {
  const origin = { at: context.now(), ...originOf(caller) };
  const outcome = await context.store.transact({
    streams: sessions.map(({ id }) => ({ id })),
    decide: ({ streams }) => ({ appends: decideRemoval(streams, removal, origin) }),
  });
  return (await notifyChanged(context, outcome)).map(({ key }) => key);
}
