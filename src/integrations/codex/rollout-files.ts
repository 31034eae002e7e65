import { basename } from "node:path";

/** The parts of a rollout's name: `rollout-TIME-THREAD.jsonl`, or `-THREAD_ROLLOUT` if the thread was reverted. */
interface RolloutName {
  readonly thread: string;
  /** The id of the thread, unless it was reverted. */
  readonly rollout: string;
}

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const NAME = new RegExp(`-(${UUID})(?:_(${UUID}))?\\.jsonl(?:\\.zst)?$`, "i");

export function rolloutName(path: string): RolloutName | null {
  const [, thread, rollout = thread] = NAME.exec(basename(path)) ?? [];
  return thread === undefined || rollout === undefined ? null : { thread, rollout };
}

/** The files of one Codex home, by the parts of their names. */
export class RolloutFiles {
  readonly #paths = new Map<string, string>();
  readonly #threads = new Map<string, string[]>();

  constructor(paths: readonly string[]) {
    for (const path of paths.toSorted((a, b) => (basename(a) < basename(b) ? -1 : 1))) {
      const name = rolloutName(path);
      // While Codex packs a file, both versions exist.
      if (!name || this.#paths.has(name.rollout)) continue;
      this.#paths.set(name.rollout, path);
      this.#threads.set(name.thread, [...(this.#threads.get(name.thread) ?? []), path]);
    }
  }

  pathOf(rollout: string): string | null {
    return this.#paths.get(rollout) ?? null;
  }

  /** True if another file is the same one, packed or in another folder. */
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
