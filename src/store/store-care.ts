import type { Durability } from "../contract/vocabulary.ts";
import type { ListingValues } from "./stream-store.ts";

/** The functions of an embedded store that `verify`, `doctor` and `backup` use. */
export interface StoreCare {
  /**
   * Reports everything that is wrong with the stored bytes. The meaning of events is checked above
   * the port.
   */
  inspect(): AsyncIterable<Finding>;
  /** Checks the hash of every stored event, if `inspect` does not. Reading the events checks them too. */
  inspectChains?(): AsyncIterable<Finding>;
  /**
   * Compares the list entry and the names of a stream with those that its events call for, and describes what differs.
   * For a store that keeps no checksums of them. A stream that has another last event by now is not compared.
   */
  inspectIndex?(expected: ExpectedIndex): Promise<readonly string[]>;
  /**
   * Compares what several processes have acknowledged with the stored events: by the anchor of this
   * data folder, and by the given files of others. A store with one anchor compares it in `inspect`.
   */
  inspectAnchors?(files: readonly string[]): AsyncIterable<Finding>;
  /**
   * Settles findings of kind `crash` by completing the anchor. A restart settles those with
   * `lost_tail` too. It changes nothing that readers see.
   */
  reanchor(options?: { readonly isRestart?: boolean }): Promise<number>;
  /** A consistent copy while others read and write. Reports the pages done and the total. */
  /** Copies the store and the named files next to it. */
  backup(
    path: string,
    onProgress?: (done: number, total: number) => void,
    beside?: readonly string[],
  ): Promise<BackupReport>;
  /** Rewrites the store without deleted data, so that no file contains it. */
  compact(): Promise<void>;
  /**
   * Changes the durability for every process that has the folder open. Earlier commits are synced
   * to meet it.
   */
  chooseDurability(durability: Durability): Promise<void>;
  describe(): Promise<readonly Fact[]>;
}

export interface ExpectedIndex {
  readonly id: string;
  readonly owner: string;
  readonly seq: number;
  readonly listing: ListingValues;
  /** The names that the stream's own events recorded. */
  readonly names: readonly string[];
}

export interface Finding {
  /**
   * `damage` is content lost or changed; `crash` is a log that is ahead of its anchor, which a crash explains;
   * `unchecked` is a part that could not be compared.
   */
  readonly kind: "damage" | "crash" | "unchecked";
  readonly stream: string | null;
  readonly seq: number | null;
  readonly what: string;
  /**
   * Set if only the anchor is lost: the stored data is intact, but the expected length of the logs
   * is unknown.
   */
  readonly lost_anchor?: true;
  /** Set if the durability of the folder allows that a power cut lost these events. */
  readonly lost_tail?: true;
}

/** One line of `doctor`. */
export interface Fact {
  readonly name: string;
  readonly value: string;
  readonly ok: boolean;
  readonly fix: string | null;
}

export interface BackupReport {
  /** Files next to the store that the copy contains. */
  readonly included: readonly string[];
  /** Other files in the data folder that the copy does not contain. */
  readonly left_out: readonly string[];
}
