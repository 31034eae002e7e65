/**
 * The most characters that all followers of this process may hold together, in pages that they have not consumed yet.
 */
export const MOST_HELD = 32 * 1024 * 1024;
/** A smaller page is not counted: it neither waits nor makes others wait. */
const LITTLE = 64 * 1024;
/** The number of pages that may be read at once, before their size is known. */
const MOST_READING = 4;

export interface HeldPage<T> {
  readonly page: T;
  /** Call after the page is consumed. */
  release(): void;
}

interface Waiting {
  readonly size: number;
  start(): void;
}

/** Limits a total size. A caller that does not fit waits for its turn. */
class Room {
  readonly #limit: number;
  readonly #waiting: Waiting[] = [];
  #taken = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** An item larger than the limit is admitted alone. */
  tryReserve(size: number): boolean {
    const fits = this.#taken === 0 || this.#taken + size <= this.#limit;
    if (fits) this.#taken += size;
    return fits;
  }

  /** False if the signal comes first. */
  async wait(size: number, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiting = { size, start: () => resolve(true) };
    const giveUp = (): void => {
      const at = this.#waiting.indexOf(waiting);
      if (at >= 0) this.#waiting.splice(at, 1);
      resolve(at < 0);
    };
    this.#waiting.push(waiting);
    signal.addEventListener("abort", giveUp);
    this.free(0);
    return promise.finally(() => signal.removeEventListener("abort", giveUp));
  }

  free(size: number): void {
    this.#taken -= size;
    for (let [next] = this.#waiting; next && this.tryReserve(next.size); [next] = this.#waiting) {
      this.#waiting.shift();
      next.start();
    }
  }
}

const reading = new Room(MOST_READING);
const held = new Room(MOST_HELD);

/**
 * Reads a page for a follower, and limits the memory of all followers together. A page that does not fit is dropped and
 * read again later; until then the reader only holds its place. Null if the signal comes first.
 */
export async function readHeldPage<T>(
  read: () => Promise<T>,
  signal: AbortSignal,
): Promise<HeldPage<T> | null> {
  const found = await readInTurn(read, signal, (size) => held.tryReserve(size));
  if (typeof found !== "number") return found;
  if (!(await held.wait(found, signal))) return null;
  const again = await readInTurn(read, signal, () => true).catch((error: unknown) => {
    held.free(found);
    throw error;
  });
  if (again === null || typeof again === "number") {
    held.free(found);
    return null;
  }
  return { page: again.page, release: once(() => held.free(found)) };
}

/** Returns the size if the page does not fit. */
async function readInTurn<T>(
  read: () => Promise<T>,
  signal: AbortSignal,
  takes: (size: number) => boolean,
): Promise<HeldPage<T> | number | null> {
  if (!(await reading.wait(1, signal))) return null;
  try {
    const page = await read();
    const size = countCharacters(page);
    if (size < LITTLE) return { page, release: () => {} };
    return takes(size) ? { page, release: once(() => held.free(size)) } : size;
  } finally {
    reading.free(1);
  }
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}

/** The length of all texts in a value. */
function countCharacters(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  let size = 0;
  for (const part of Object.values(value)) size += countCharacters(part);
  return size;
}
