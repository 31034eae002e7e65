import { join } from "node:path";
import { makeFolder } from "../../../files/make-folder.ts";
import { Anchor, type AnchorRecord } from "../../log/anchor.ts";

/** The anchor of a data folder for one database: the last events that the processes of this folder have acknowledged. */
export class NodeAnchor {
  readonly #folder: string;
  readonly #database: string;
  readonly #node: () => string | null;
  readonly #anchor: Anchor;
  readonly file: string;
  /** The node that was named in the file last; undefined before the first record. */
  #named: string | null | undefined;

  /** `database` identifies the database, wherever it moves. `node` is the current node of this process. */
  constructor(folder: string, database: string, node: () => string | null) {
    this.#folder = folder;
    this.#database = database;
    this.#node = node;
    this.file = join(folder, `postgres-anchor-${database}.log`);
    this.#anchor = new Anchor(this.file);
  }

  /** Never fails, as a commit does not depend on it. */
  write(records: readonly AnchorRecord[]): void {
    if (this.#named === undefined) this.#prepare();
    const node = this.#node();
    if (node !== this.#named) this.#anchor.introduce(this.#database, node);
    this.#named = node;
    this.#anchor.write(records);
  }

  #prepare(): void {
    try {
      makeFolder(this.#folder);
    } catch {
      // The commit is durable without its record.
    }
  }

  /** Makes all earlier records invalid. */
  restart(): void {
    makeFolder(this.#folder);
    this.#anchor.begin([], true);
  }

  close(): void {
    this.#anchor.close();
  }
}
