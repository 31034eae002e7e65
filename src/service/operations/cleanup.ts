import type { SessionHead } from "../../contract/head.ts";
import type { Output, Parsed } from "../../contract/operations.ts";
import { judgeCleanup } from "../../core/judge-cleanup.ts";
import type { StoredStream } from "../../store/stream-store.ts";
import { originOf } from "../change-session.ts";
import { everySession } from "../read/every-session.ts";
import type { Removal } from "../retention/remove-sessions.ts";
import {
  decideRemoval,
  findExpired,
  purgeExpired,
  REMOVED_AT_ONCE,
  tellChanged,
} from "../retention/remove-sessions.ts";
import { readServed } from "../retention/served-time.ts";
import type { Caller, ServiceContext } from "../service-context.ts";

/** Removing is moving to the trash; only what has been there long enough is purged. */
export async function cleanup(
  context: ServiceContext,
  input: Parsed<"cleanup">,
  caller: Caller,
): Promise<Output<"cleanup">> {
  const now = context.now();
  const before = now - input.hours * 3_600_000;
  const removal: Removal = {
    reason: "cleanup",
    served_ms: await readServed(context.store),
    judge: (head, driven) => judgeCleanup(head, before, driven),
  };
  // A person asks for it, so the clock alone counts, with or without a server.
  const isExpired = ({ deleted }: SessionHead) => deleted !== null && deleted.purge_at <= now;
  const old: StoredStream[] = [];
  const kept: Output<"cleanup">["protected"] = [];
  for await (const { stream, head } of everySession(context.store, caller.owner, {
    activity: { before },
  })) {
    const verdict = removal.judge(head, stream.lease?.live ?? false);
    if (verdict.remove) old.push(stream);
    else if (verdict.because) {
      kept.push({ session_id: head.session_id, because: verdict.because });
    }
  }
  const expired = await findExpired(context.store, caller.owner, isExpired);
  const purged = expired.map(({ key }) => key);
  if (input.dry_run) {
    return { removed: old.map(({ key }) => key), purged, protected: kept, dry_run: true };
  }
  const removed: string[] = [];
  for (let at = 0; at < old.length; at += REMOVED_AT_ONCE) {
    removed.push(...(await remove(context, caller, old.slice(at, at + REMOVED_AT_ONCE), removal)));
  }
  for (const session of expired) await purgeExpired(context, caller, session, isExpired);
  return { removed, purged, protected: kept, dry_run: false };
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
  return (await tellChanged(context, outcome)).map(({ key }) => key);
}
