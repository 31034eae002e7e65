import { isDeepStrictEqual } from "node:util";
import { BelayError, refuse } from "../../../contract/errors.ts";
import {
  decideLease,
  describeLease,
  type KeptHolder,
  type LeaseClock,
  type Member,
} from "../../lease-rules.ts";
import type { Holder, LeaseAnswer, LeaseRequest } from "../../stream-store.ts";
import type { Database, SqlSession } from "../database/database.ts";
import { isStorable } from "../database/storable-text.ts";
import { findStreamRows } from "../database/stream-row.ts";
import { lockOfId, toLocks } from "./locks.ts";

interface LeaseContext {
  readonly database: Database;
  readonly clock: (now: number | undefined) => LeaseClock;
  /** The registration under which this node acquires leases. */
  readonly member: () => Member | undefined;
  /** Called when this node has acquired a lease that another node held when it was gone. */
  readonly onTakeover: () => void;
}

/** Decides a lease request by the clock of the database, under the lock of the stream. */
export async function changeLease(
  { database, clock, member, onTakeover }: LeaseContext,
  id: string,
  request: LeaseRequest,
): Promise<LeaseAnswer> {
  let isRepeated = false;
  let isTakeover = false;
  const answer = await database.transaction(async (session) => {
    await session.query("SELECT belay.lock($1)", [toLocks([lockOfId(id)])]);
    const found = isStorable(id) ? await findStreamRows(session, [{ id }]) : undefined;
    const row = found?.rows[0];
    const now = clock(found?.now);
    const held = row && describeLease(row, now);
    // The answer to the first attempt may have been lost, but not the lease.
    const isOwn = isRepeated && "acquire" in request && isSame(held?.holder, request.acquire);
    isRepeated = true;
    const asked = isOwn ? { ...request, force: true } : request;
    const under = "acquire" in asked ? member() : row?.holder?.member;
    const left = under && !("release" in asked) ? await readLeft(session, under) : undefined;
    if (left !== undefined && left <= 0) return refuseUnder(asked, held ?? null);
    const { answer, next } = decideLease(id, row, withMember(asked, under), now);
    // The registration is renewed instead.
    const isKept = under !== undefined && "renew" in asked;
    if (row && next && !isKept) await storeLease(session, row.sid, next.epoch, next.holder);
    if (!answer.granted) return answer;
    const before = row?.holder?.member;
    isTakeover = before !== undefined && before.node !== under?.node;
    const holder = next?.holder;
    const lapses = holder ? now.isAlive(holder) === null : false;
    return { ...answer, lapses, ...(left !== undefined && { renew_within: left }) };
  });
  if (isTakeover) onTakeover();
  return answer;
}

function withMember(request: LeaseRequest, member: Member | undefined): LeaseRequest {
  if (!("acquire" in request) || !member) return request;
  const acquire: KeptHolder = { ...request.acquire, member };
  return { ...request, acquire };
}

function refuseUnder(request: LeaseRequest, held: ReturnType<typeof describeLease>): LeaseAnswer {
  if (!("acquire" in request)) return { granted: false, held };
  const message =
    "This node is no longer registered, because the database did not answer in time. Try again in a moment.";
  throw new BelayError(refuse("store_busy", message));
}

/** Milliseconds until a registration expires; 0 if it has expired. */
async function readLeft(session: SqlSession, { node, epoch }: Member): Promise<number> {
  const [row] = await session.query<{ left: number }>(LEFT, [node, epoch]);
  return Math.max(0, row?.left ?? 0);
}

async function storeLease(
  session: SqlSession,
  sid: number,
  epoch: number,
  holder: KeptHolder | null,
): Promise<void> {
  const { renewed, ...who } = holder ?? {};
  const kept = holder ? JSON.stringify(who) : null;
  await session.query(KEEP, [sid, epoch, kept, renewed ?? null]);
}

function isSame(held: Holder | undefined, holder: Holder): boolean {
  return held !== undefined && isDeepStrictEqual(held, holder);
}

const KEEP = "UPDATE belay.streams SET epoch = $2, holder = $3, renewed = $4 WHERE sid = $1";
const LEFT = `SELECT n.renewed + n.ttl - belay.now_ms() AS left FROM belay.nodes n WHERE n.id = $1 AND n.epoch = $2`;
