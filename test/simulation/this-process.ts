import { workerData } from "node:worker_threads";
import { seededRandom } from "../crash/seeded-random.ts";
import type { Control } from "./controls.ts";
import { TurnChannel } from "./turn-channel.ts";

/** What a thread says to the world. */
export type Message =
  | { readonly kind: "next" }
  | { readonly kind: "call"; readonly name: string; readonly args: readonly unknown[] }
  | { readonly kind: "sleep"; readonly until: number }
  | { readonly kind: "note"; readonly note: object };

export type Answer =
  | { readonly kind: "done"; readonly now: number; readonly value: unknown }
  | { readonly kind: "failed"; readonly now: number; readonly code: string; readonly what: string }
  | { readonly kind: "killed" };

/** One simulated process. */
export interface Life {
  readonly pid: number;
  readonly namespace: number;
  readonly seed: number;
  /** What it does. */
  readonly program: "work" | "judge";
  readonly folder: string;
  readonly ops: number;
  readonly streams: number;
  readonly control: Control;
}

/** Thrown at the call at which the process dies, and by every later one. */
class Killed extends Error {}

interface Timer {
  readonly id: number;
  readonly due: number;
  readonly every: number | null;
  run(): void;
}

/** The process that this thread simulates now. */
class ThisProcess {
  readonly #channel = new TurnChannel(workerData.memory);
  #timers: Timer[] = [];
  #ids = 0;
  #isDead = false;
  now = 0;
  random = seededRandom(0);
  life: Life | null = null;

  get isDead(): boolean {
    return this.#isDead;
  }

  /** Waits for the next process to simulate. Null at the end of the world. */
  next(): Life | null {
    const answer: Answer & { value: Life | null } = Object(
      this.#channel.ask({ kind: "next" } satisfies Message),
    );
    if (answer.kind !== "done") throw new Error("a process starts alive");
    this.now = answer.now;
    this.#timers = [];
    this.#isDead = false;
    this.life = answer.value;
    this.random = seededRandom(answer.value?.seed ?? 0);
    return answer.value;
  }

  call<T>(name: string, ...args: readonly unknown[]): T {
    return this.#ask<T>({ kind: "call", name, args });
  }

  note(note: object): void {
    this.#ask({ kind: "note", note });
  }

  addTimer(ms: number, run: () => void, every: number | null = null): number {
    this.#ids += 1;
    const id = this.#ids;
    this.#timers.push({ id, due: this.now + Math.max(0, ms), every, run });
    return id;
  }

  removeTimer(id: number): void {
    this.#timers = this.#timers.filter((timer) => timer.id !== id);
  }

  /** Waits for the next timer and runs it. */
  runTimer(): void {
    const [timer] = this.#timers.toSorted((a, b) => a.due - b.due || a.id - b.id);
    if (!timer) throw new Error("the process waits for something that is not simulated");
    this.#ask({ kind: "sleep", until: timer.due });
    this.removeTimer(timer.id);
    if (timer.every !== null) this.addTimer(timer.every, timer.run, timer.every);
    timer.run();
  }

  #ask<T>(message: Message): T {
    // `finally` blocks of a dead process still run: they change nothing.
    if (this.#isDead) throw new Killed();
    const answer: Answer & { value: T } = Object(this.#channel.ask(message));
    if (answer.kind === "killed") {
      this.#isDead = true;
      throw new Killed();
    }
    this.now = answer.now;
    if (answer.kind === "done") return answer.value;
    throw Object.assign(new Error(answer.what), { code: answer.code });
  }
}

export const thisProcess = new ThisProcess();
