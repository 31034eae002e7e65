import type { CheckHolder, Holder } from "./stream-store.ts";

/** Milliseconds for which a lease is held without a sign of its holder. Renewed at a third of it. */
export const LEASE_MS = 45_000;

/** A holder as a store keeps it. */
export interface KeptHolder extends Holder {
  /** When the lease was granted or renewed last; absent in what an older Belay wrote. */
  readonly renewed?: number;
}

export interface LeaseClock {
  /** Whether the holder lives; null where that cannot be known from here. */
  readonly isAlive: CheckHolder;
  /** Milliseconds that only ever rise, the same for all processes of a machine. */
  readonly now: () => number;
}

/** Whether a lease is still held: by a living process, or where that cannot be seen, by time. */
export function isHeld(holder: KeptHolder, { isAlive, now }: LeaseClock): boolean {
  const { renewed, ...who } = holder;
  const known = isAlive(who);
  if (known !== null || renewed === undefined) return known ?? true;
  const age = now() - renewed;
  return age >= 0 && age < LEASE_MS;
}
