import { deserialize, serialize } from "node:v8";

const THREAD = 0;
const WORLD = 1;
const MOST_BYTES = 4 * 1024 * 1024;
const PATIENCE_MS = 60_000;

/**
 * The memory through which a thread and the world talk. Exactly one of them runs at a time: the other one waits for its
 * turn.
 */
export class TurnChannel {
  readonly memory: SharedArrayBuffer;
  readonly #head: Int32Array<SharedArrayBuffer>;
  readonly #body: Buffer;

  constructor(memory = new SharedArrayBuffer(8 + MOST_BYTES)) {
    this.memory = memory;
    this.#head = new Int32Array(memory, 0, 2);
    this.#body = Buffer.from(memory, 8);
  }

  /** Called by the thread: returns the answer. */
  ask(message: unknown): unknown {
    this.#write(message);
    this.#passTo(WORLD);
    this.#waitWhile(WORLD);
    return this.#read();
  }

  /** Called by the world: the next message of the thread. */
  hear(): unknown {
    this.#waitWhile(THREAD);
    return this.#read();
  }

  answer(message: unknown): void {
    this.#write(message);
    this.#passTo(THREAD);
  }

  #passTo(turn: number): void {
    Atomics.store(this.#head, 0, turn);
    Atomics.notify(this.#head, 0);
  }

  /** A late wake-up of the message before must not count, so the value decides. */
  #waitWhile(turn: number): void {
    while (Atomics.load(this.#head, 0) === turn) {
      const woken = Atomics.wait(this.#head, 0, turn, turn === THREAD ? PATIENCE_MS : undefined);
      if (woken === "timed-out") throw new Error("A simulated process does not call the world");
    }
  }

  #write(message: unknown): void {
    const bytes = serialize(message);
    this.#body.set(bytes);
    Atomics.store(this.#head, 1, bytes.length);
  }

  #read(): unknown {
    // A copy, because the memory is used again.
    return deserialize(Buffer.from(this.#body.subarray(0, Atomics.load(this.#head, 1))));
  }
}
