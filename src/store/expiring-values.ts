/**
 * Small values that all nodes of the same data share, such as logins under way. A value is gone when its time is over, and
 * may be lost earlier: after a crash, or if there are too many.
 */
export interface ExpiringValues {
  /** Stores a value under a new key. If there are more than `MOST_VALUES` of its kind, the oldest is dropped. */
  add(kind: string, key: string, value: string, ms: number): Promise<void>;
  /** Null if there is no such value any more. */
  read(kind: string, key: string): Promise<string | null>;
  /** Replaces a value that is still the same as `before`. False if it is not. */
  replace(kind: string, key: string, before: string, value: string): Promise<boolean>;
  /** Removes a value and returns it. Only one caller gets it. */
  take(kind: string, key: string): Promise<string | null>;
}

/** Limits the memory or the table that requests of unknown callers can fill. */
export const MOST_VALUES = 10_000;
