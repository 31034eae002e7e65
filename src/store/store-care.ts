import type { Durability } from "../contract/vocabulary.ts";

/** What an embedded store offers to `verify`, `doctor` and `backup`. */
export interface StoreCare {
  /** Everything that is wrong with the stored bytes themselves; meaning is checked above the port. */
  inspect(): AsyncIterable<Finding>;
  /** Settles what `inspect` called a crash, by writing the anchor anew. Changes nothing that a reader is shown. */
  reanchor(): Promise<number>;
  /** A consistent copy while others read and write. Calls back with pages done and pages in all. */
  /** Copies the store, and of the files beside it those that are named. */
  backup(
    path: string,
    onProgress?: (done: number, total: number) => void,
    beside?: readonly string[],
  ): Promise<BackupReport>;
  /** Writes the store anew without what was deleted, so that no file holds any of it. */
  compact(): Promise<void>;
  /** The folder's choice from now on, for every process that has it open; what was acknowledged before is made to meet it. */
  chooseDurability(durability: Durability): Promise<void>;
  describe(): Promise<readonly Fact[]>;
}

export interface Finding {
  /** `damage` is content lost or changed; `crash` is a log that is ahead of its anchor, which a crash explains. */
  readonly kind: "damage" | "crash";
  readonly stream: string | null;
  readonly seq: number | null;
  readonly what: string;
  /** Of the anchor alone: what is stored is sound, but nothing vouches any more for how long the logs were. */
  readonly lost_anchor?: true;
}

/** One line of `doctor`. */
export interface Fact {
  readonly name: string;
  readonly value: string;
  readonly ok: boolean;
  readonly fix: string | null;
}

export interface BackupReport {
  /** Files beside the store that are in the copy too. */
  readonly included: readonly string[];
  /** What else is in the data folder and not in the copy. */
  readonly left_out: readonly string[];
}
