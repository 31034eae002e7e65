import { basename } from "node:path";

/** What the name of a rollout says: `rollout-TIME-THREAD.jsonl`, or `-THREAD_ROLLOUT` where the thread was reverted. */
interface RolloutName {
  readonly thread: string;
  /** That of the thread, unless it was reverted. */
  readonly rollout: string;
}

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const NAME = new RegExp(`-(${UUID})(?:_(${UUID}))?\\.jsonl(?:\\.zst)?$`, "i");

export function rolloutName(path: string): RolloutName | null {
  const [, thread, rollout = thread] = NAME.exec(basename(path)) ?? [];
  return thread === undefined || rollout === undefined ? null : { thread, rollout };
}

/** The files of one Codex home, by what their names say. */
export class RolloutFiles {
  readonly #paths = new Map<string, string>();
  readonly #threads = new Map<string, string[]>();

  constructor(paths: readonly string[]) {
    for (const path of paths.toSorted((a, b) => (basename(a) < basename(b) ? -1 : 1))) {
      const name = rolloutName(path);
      // While Codex packs a file, the packed one stands beside it.
      if (!name || this.#paths.has(name.rollout)) continue;
      this.#paths.set(name.rollout, path);
      this.#threads.set(name.thread, [...(this.#threads.get(name.thread) ?? []), path]);
    }
  }

  pathOf(rollout: string): string | null {
    return this.#paths.get(rollout) ?? null;
  }

  /** Whether another file is the same one, packed or in another folder. */
  hasOther(path: string, rollout: string): boolean {
    const known = this.pathOf(rollout);
    return known !== null && known !== path && stemOf(known) === stemOf(path);
  }

  /** The files of a thread, oldest first. */
  ofThread(thread: string): readonly string[] {
    return this.#threads.get(thread) ?? [];
  }
}

function stemOf(path: string): string {
  return basename(path).replace(/\.zst$/, "");
}
