import { type ChangedStreams, StreamWatchers } from "../stream-watchers.ts";

/** Says what other processes have committed. */
interface ChangeSource {
  /** Changes with every commit of another process. */
  readVersion(): number;
  /** From now on `readChanges` returns later changes. */
  start(): void;
  /** The streams that have changed since the last call; null if they are not known. */
  readChanges(): ChangedStreams | null;
}

/**
 * Notifies watchers of commits: of this process at once, of others by polling, and only
 * while someone watches. One poll finds the changed streams for all watchers.
 */
export class ChangeWatch {
  readonly #source: ChangeSource;
  readonly #watchers = new StreamWatchers();
  #timer: NodeJS.Timeout | undefined;
  #version = 0;

  constructor(source: ChangeSource) {
    this.#source = source;
  }

  watch(onChange: (seq?: number) => void, stream?: string): () => void {
    const stop = this.#watchers.add(onChange, stream);
    if (!this.#timer) {
      this.#version = this.#readVersion();
      this.#start();
      this.#timer = setInterval(() => this.#poll(), POLL_MS);
      this.#timer.unref();
    }
    return () => {
      stop();
      if (this.#watchers.isEmpty) this.#stop();
    };
  }

  /** After a commit of this process. */
  notify(changed: ChangedStreams): void {
    this.#watchers.call(changed);
  }

  close(): void {
    this.#watchers.clear();
    this.#stop();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #poll(): void {
    const version = this.#readVersion();
    if (version === this.#version) return;
    this.#version = version;
    const changed = this.#readChanges();
    if (changed) this.#watchers.callForNews(changed);
    else this.#watchers.callAll();
  }

  /**
   * While the log of a crashed process is being recovered it cannot be read. The last known version
   * counts until the next poll.
   */
  #readVersion(): number {
    try {
      return this.#source.readVersion();
    } catch {
      return this.#version;
    }
  }

  #readChanges(): ChangedStreams | null {
    try {
      return this.#source.readChanges();
    } catch {
      this.#start();
      return null;
    }
  }

  /** If the store cannot be read now, the first changes are read from an earlier place. */
  #start(): void {
    try {
      this.#source.start();
    } catch {}
  }
}

const POLL_MS = 20;
