/** What an embedded store offers to `verify`, `doctor` and `backup`. */
export interface StoreCare {
  /** Everything that is wrong with the stored bytes themselves; meaning is checked above the port. */
  inspect(): AsyncIterable<Finding>;
  /** Settles what `inspect` called a crash, by writing the anchor anew. Changes nothing that a reader is shown. */
  reanchor(): Promise<number>;
  /** A consistent copy while others read and write. Calls back with pages done and pages in all. */
  backup(path: string, onProgress?: (done: number, total: number) => void): Promise<void>;
  describe(): Promise<readonly Fact[]>;
}

export interface Finding {
  /** `damage` is content lost or changed; `crash` is a log that is ahead of its anchor, which a crash explains. */
  readonly kind: "damage" | "crash";
  readonly stream: string | null;
  readonly seq: number | null;
  readonly what: string;
}

/** One line of `doctor`. */
export interface Fact {
  readonly name: string;
  readonly value: string;
  readonly ok: boolean;
  readonly fix: string | null;
}
