import { streamGone } from "./stream-gone.ts";
import type { CheckHolder, Holder, Lease, LeaseAnswer, LeaseRequest } from "./stream-store.ts";

/** A lease without renewal lasts this many milliseconds. Holders renew at a third of it. */
export const LEASE_MS = 45_000;

/** A lease holder in stored form. */
export interface KeptHolder extends Holder {
  /** The time of the last grant or renewal; older versions did not store it. */
  readonly renewed?: number;
  /** The registration of the node that holds the lease. The lease is renewed and lost with it. */
  readonly member?: Member | undefined;
}

/** The registration of a node. Each registration has a new epoch. */
export interface Member {
  readonly node: string;
  readonly epoch: number;
}

/** The stored lease of a stream. The epoch is that of the newest grant, and outlives the lease. */
export interface LeaseState {
  readonly epoch: number;
  readonly holder: KeptHolder | null;
}

export interface LeaseClock {
  /** True if the holder lives; null if this process cannot know. */
  readonly isAlive: CheckHolder;
  /** A monotonic clock in milliseconds, the same for all processes of a machine. */
  readonly now: () => number;
  /** The time that a lease lasts without renewal; `LEASE_MS` by default. */
  readonly leaseMs?: number | undefined;
}

/** Decides a lease request: the answer, and the state to store. */
export function decideLease(
  id: string,
  state: LeaseState | undefined,
  request: LeaseRequest,
  clock: LeaseClock,
): { readonly answer: LeaseAnswer; readonly next?: LeaseState } {
  const held = state ? describeLease(state, clock) : null;
  if ("acquire" in request) {
    if (!state) throw streamGone(id);
    if (held?.live && !request.force) return { answer: { granted: false, held } };
    return grant(state.epoch + 1, request.acquire, clock);
  }
  const epoch = "renew" in request ? request.renew : request.release;
  if (!state?.holder || state.epoch !== epoch) return { answer: { granted: false, held } };
  if ("renew" in request) return grant(epoch, state.holder, clock);
  return { answer: { granted: false, held: null }, next: { epoch, holder: null } };
}

export function describeLease({ epoch, holder }: LeaseState, clock: LeaseClock): Lease | null {
  if (!holder) return null;
  const { renewed, member, ...who } = holder;
  return { epoch, holder: who, live: isHeld(holder, clock) };
}

function grant(epoch: number, holder: KeptHolder, { now, leaseMs = LEASE_MS }: LeaseClock) {
  const { name, pid, start_time, boot_id, node, machine, member } = holder;
  const where = { ...(node !== undefined && { node }), ...(machine !== undefined && { machine }) };
  const kept = { name, pid, start_time, boot_id, ...where, ...(member && { member }) };
  return {
    answer: { granted: true, epoch, renew_within: leaseMs } as const,
    next: { epoch, holder: { ...kept, renewed: now() } },
  };
}

/** True if a lease is still held: by a live process or, if that cannot be checked, by time. */
function isHeld(holder: KeptHolder, { isAlive, now, leaseMs = LEASE_MS }: LeaseClock): boolean {
  const { renewed, member: _, ...who } = holder;
  const known = isAlive(who);
  if (known !== null || renewed === undefined) return known ?? true;
  const age = now() - renewed;
  return age >= 0 && age < leaseMs;
}
