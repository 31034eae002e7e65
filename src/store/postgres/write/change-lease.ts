import { isDeepStrictEqual } from "node:util";
import { decideLease, describeLease, type LeaseClock } from "../../lease-rules.ts";
import type { Holder, LeaseAnswer, LeaseRequest } from "../../stream-store.ts";
import type { Database } from "../database/database.ts";
import { isStorable } from "../database/storable-text.ts";
import { findStreamRows } from "../database/stream-row.ts";
import { lockOfId, toLocks } from "./locks.ts";

/** Decides a lease request by the database's clock, under the lock of its stream. */
export async function changeLease(
  database: Database,
  id: string,
  request: LeaseRequest,
  clock: (now: number | undefined) => LeaseClock,
): Promise<LeaseAnswer> {
  let isRepeated = false;
  return database.transaction(async (session) => {
    await session.query("SELECT belay.lock($1)", [toLocks([lockOfId(id)])]);
    const found = isStorable(id) ? await findStreamRows(session, [{ id }]) : undefined;
    const row = found?.rows[0];
    const now = clock(found?.now);
    const held = row && describeLease(row, now);
    // The answer to the first attempt may have been lost, but not the lease.
    const isOwn = isRepeated && "acquire" in request && isSame(held?.holder, request.acquire);
    isRepeated = true;
    const asked = isOwn ? { ...request, force: true } : request;
    const { answer, next } = decideLease(id, row, asked, now);
    if (row && next) {
      const { renewed, ...holder } = next.holder ?? {};
      const kept = next.holder ? JSON.stringify(holder) : null;
      await session.query(KEEP, [row.sid, next.epoch, kept, renewed ?? null]);
    }
    return answer;
  });
}

function isSame(held: Holder | undefined, holder: Holder): boolean {
  return held !== undefined && isDeepStrictEqual(held, holder);
}

const KEEP = "UPDATE belay.streams SET epoch = $2, holder = $3, renewed = $4 WHERE sid = $1";
