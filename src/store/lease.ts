export interface Holder {
  readonly name: string;
  readonly pid: number;
  readonly start_time: number | null;
  readonly boot_id: string | null;
  /** The pid namespace of the holder. Null if there is none; older versions did not store it. */
  readonly node?: string | null | undefined;
  /** The machine of the holder. Null if unknown; older versions did not store it. */
  readonly machine?: string | null | undefined;
}
/** True if a holder lives; null if this process cannot know, so that its lease ends by time. */
export type CheckHolder = (holder: Holder) => boolean | null;

export interface Lease {
  readonly epoch: number;
  readonly holder: Holder;
  /**
   * False if the holder is dead or its time ran out. It has the newest epoch until someone acquires
   * the lease.
   */
  readonly live: boolean;
}
export interface GrantedLease {
  readonly granted: true;
  readonly epoch: number;
  /** The lease may pass to another holder after this many milliseconds, unless it is renewed. */
  readonly renew_within: number;
  /** The lease passes to another holder after that time even if this one lives, so its agent must end before. */
  readonly lapses?: boolean;
}
export type LeaseRequest =
  | { readonly acquire: Holder; readonly force?: boolean }
  | { readonly renew: number }
  | { readonly release: number };
export type LeaseAnswer =
  | GrantedLease
  /** Null if nobody holds it. */
  | { readonly granted: false; readonly held: Lease | null };
