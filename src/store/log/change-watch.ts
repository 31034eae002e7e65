/**
 * Notifies watchers of commits: of this process at once, of others by polling, and only
 * while someone watches.
 */
export class ChangeWatch {
  readonly #read: () => number;
  readonly #watchers = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;
  #version = 0;

  /** The version changes with every commit of any process. */
  constructor(readVersion: () => number) {
    this.#read = readVersion;
  }

  watch(onChange: () => void): () => void {
    // The wrapper lets one function watch twice.
    const watcher = () => onChange();
    this.#watchers.add(watcher);
    if (!this.#timer) {
      this.#version = this.#readVersion();
      this.#timer = setInterval(() => this.#poll(), POLL_MS);
      this.#timer.unref();
    }
    return () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size === 0) this.#stop();
    };
  }

  /** Runs as a microtask, so that a watcher that throws breaks no commit. */
  notify(): void {
    for (const watcher of this.#watchers) {
      queueMicrotask(() => this.#watchers.has(watcher) && watcher());
    }
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
    this.notify();
  }

  /**
   * While the log of a crashed process is being recovered it cannot be read. The last known version
   * counts until the next poll.
   */
  #readVersion(): number {
    try {
      return this.#read();
    } catch {
      return this.#version;
    }
  }
}

const POLL_MS = 20;
