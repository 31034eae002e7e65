import { changesIn } from "../disk/changes-in.ts";
import type { CommitLog } from "../disk/commit-log.ts";
import type { StreamIndex } from "./stream-index.ts";

/** Finds the streams that other processes have changed, in the log of commits. */
export class ChangedCommits {
  readonly #commits: CommitLog;
  readonly #index: StreamIndex;
  #end = 0;

  constructor(commits: CommitLog, index: StreamIndex) {
    this.#commits = commits;
    this.#index = index;
  }

  readVersion(): number {
    return this.#commits.size();
  }

  start(): void {
    this.#index.catchUp();
    this.#end = this.#index.end;
  }

  /** Null after very many commits. */
  readChanges(): Map<string, number> | null {
    const from = this.#end;
    const size = this.readVersion();
    if (size < from || size - from > MOST_BYTES) {
      this.start();
      return null;
    }
    const changed = new Map<string, number>();
    for (const { entries, next } of this.#commits.read(from)) {
      for (const [id, seq] of changesIn(entries)) changed.set(id, seq);
      this.#end = next.end;
    }
    return changed;
  }
}

/** Reading more would keep everyone else waiting. */
const MOST_BYTES = 512 * 1024;
