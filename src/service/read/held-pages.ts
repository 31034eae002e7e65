/** Characters that all who look on through this process may hold together, each in a page that it has not taken yet. */
export const MOST_HELD = 32 * 1024 * 1024;
/** A smaller page is not counted: it neither waits for others nor makes others wait. */
const LITTLE = 64 * 1024;
/** Pages that are read at once, before it is known how large they are. */
const MOST_READING = 4;

export interface HeldPage<T> {
  readonly page: T;
  /** To be called when the page has been taken. */
  release(): void;
}

interface Waiting {
  readonly size: number;
  start(): void;
}

/** Has room for sizes up to a limit. A caller that finds none waits for its turn. */
class Room {
  readonly #limit: number;
  readonly #waiting: Waiting[] = [];
  #taken = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Something larger than the room has it to itself. */
  takes(size: number): boolean {
    const fits = this.#taken === 0 || this.#taken + size <= this.#limit;
    if (fits) this.#taken += size;
    return fits;
  }

  /** False when the signal comes first. */
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
    for (let [next] = this.#waiting; next && this.takes(next.size); [next] = this.#waiting) {
      this.#waiting.shift();
      next.start();
    }
  }
}

const reading = new Room(MOST_READING);
const held = new Room(MOST_HELD);

/**
 * Reads a page for someone who looks on, and bounds what all of them hold. A page for which there is no room is dropped,
 * and read again when others have taken or given up theirs: until then the reader holds its place alone. Null when the
 * signal comes first.
 */
export async function readHeldPage<T>(
  read: () => Promise<T>,
  signal: AbortSignal,
): Promise<HeldPage<T> | null> {
  const found = await readInTurn(read, signal, (size) => held.takes(size));
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

/** The size of a page for which there is no room. */
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

/** Of all texts in a value. */
function countCharacters(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  let size = 0;
  for (const part of Object.values(value)) size += countCharacters(part);
  return size;
}
