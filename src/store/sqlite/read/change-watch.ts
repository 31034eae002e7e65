import { integerIn } from "../database/columns.ts";
import type { Connection } from "../database/connection.ts";

/**
 * Notifies watchers of commits: of this process at once, of others by polling SQLite, and only
 * while someone watches.
 */
export class ChangeWatch {
  readonly #db: Connection;
  readonly #watchers = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;
  #version = 0;

  constructor(db: Connection) {
    this.#db = db;
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
   * While the log of a crashed process is being recovered, the last known version counts until the
   * next poll.
   */
  #readVersion(): number {
    try {
      return integerIn(this.#db.get("PRAGMA data_version") ?? {}, "data_version", null);
    } catch {
      return this.#version;
    }
  }
}

const POLL_MS = 20;
