/** Streams that have changed, each with its newest seq. */
export type ChangedStreams = Iterable<readonly [id: string, seq: number]>;

/** The callbacks of `watch`. A change calls those of its stream, and those of all streams. */
export class StreamWatchers {
  /** The seq of a stream that was purged: nothing comes after it. */
  static readonly GONE = Number.MAX_SAFE_INTEGER;
  /** By stream; the watchers of all streams are under null. */
  readonly #watched = new Map<string | null, Watched>();

  get isEmpty(): boolean {
    return this.#watched.size === 0;
  }

  add(onChange: OnChange, stream: string | null = null): () => void {
    const watched = this.#watched.get(stream) ?? { seq: -1, watchers: new Set() };
    this.#watched.set(stream, watched);
    const watcher = { onChange, calledAt: performance.now() };
    watched.watchers.add(watcher);
    return () => {
      watched.watchers.delete(watcher);
      if (watched.watchers.size === 0 && this.#watched.get(stream) === watched) {
        this.#watched.delete(stream);
      }
    };
  }

  /** Calls the watchers of these streams. */
  call(changed: ChangedStreams): void {
    for (const [id, seq] of changed) {
      const watched = this.#watched.get(id);
      if (!watched) continue;
      watched.seq = Math.max(watched.seq, seq);
      callEach(watched, seq === StreamWatchers.GONE ? undefined : seq);
    }
    callEach(this.#watched.get(null));
  }

  /** The same for changes that may have been reported before: calls no watcher twice for the same seq. */
  callForNews(changed: ChangedStreams): void {
    const isNews = ([id, seq]: readonly [string, number]): boolean =>
      seq > (this.#watched.get(id)?.seq ?? Number.POSITIVE_INFINITY);
    this.call([...changed].filter(isNews));
  }

  /** For changes that are not known. */
  callAll(): void {
    for (const watched of this.#watched.values()) {
      watched.seq = -1;
      callEach(watched);
    }
  }

  /** Calls the watchers that were not called for about this time. They do not all come at once. */
  callAfter(ms: number): void {
    const now = performance.now();
    for (const { watchers } of this.#watched.values()) {
      for (const watcher of watchers) {
        const isDue = now - watcher.calledAt > ms * (0.75 + Math.random() / 2);
        if (isDue) callOne(watchers, watcher, undefined);
      }
    }
  }

  clear(): void {
    for (const { watchers } of this.#watched.values()) watchers.clear();
    this.#watched.clear();
  }
}

type OnChange = (seq?: number) => void;

interface Watched {
  /** The newest seq that its watchers were called for. */
  seq: number;
  readonly watchers: Set<Watcher>;
}

interface Watcher {
  readonly onChange: OnChange;
  calledAt: number;
}

function callEach(watched: Watched | undefined, seq?: number): void {
  for (const watcher of watched?.watchers ?? []) callOne(watched?.watchers, watcher, seq);
}

/** As a microtask, so that a watcher that throws breaks no commit. */
function callOne(
  watchers: ReadonlySet<Watcher> | undefined,
  watcher: Watcher,
  seq: number | undefined,
): void {
  watcher.calledAt = performance.now();
  queueMicrotask(() => watchers?.has(watcher) && watcher.onChange(seq));
}
