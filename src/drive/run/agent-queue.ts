import type { Refusal } from "../../contract/errors.ts";
import {
  type AgentUse,
  freeSlots,
  lineUp,
  nextInLine,
  refuseToWait,
  type Waiting,
} from "../../core/agent-line.ts";

/** The current work of an agent. */
export type AgentState = "idle" | "working" | "asking";

interface RunAgent {
  readonly state: AgentState;
  readonly session: { readonly id: string; readonly owner: string };
}

interface QueueDeps {
  /** The most agents that work at once. */
  readonly slots: number;
  agents(): Iterable<RunAgent>;
  /** Watches a session that waits. Returns a function that stops that. */
  watch(id: string): () => void;
  /** Called when a session that waited has got a slot. */
  onGranted(id: string): void;
  /** Called every second while sessions wait. */
  onTick(): void;
}

interface InLine extends Waiting {
  stopWatching(): void;
}

/**
 * The slots for the working agents of this process, and the line of sessions that wait for one. A slot belongs to one
 * turn. An agent that asks a person gives its slot back; once it is answered, it continues at once, also without one.
 */
export class AgentQueue {
  readonly #deps: QueueDeps;
  /** True from the first time that the agent was seen at work. Until then, its session only holds the slot. */
  readonly #slots = new Map<string, { readonly owner: string; hasWorked: boolean }>();
  readonly #line = new Map<string, InLine>();
  /** Owners, in the order in which they last got a slot. */
  readonly #served = new Set<string>();
  readonly #listeners = new Set<() => void>();
  #positions: ReadonlyMap<string, number> | null = null;
  #tick: NodeJS.Timeout | undefined;
  #isPaused = false;

  constructor(deps: QueueDeps) {
    this.#deps = deps;
  }

  /** True if the session has a slot. Otherwise it waits in line. */
  enter(id: string, owner: string): boolean {
    if (!this.has(id)) {
      this.#isPaused = false;
      const stopWatching = this.#deps.watch(id);
      this.#line.set(id, { id, owner, continues: false, stopWatching });
      this.#tick ??= setInterval(() => this.#onTick(), TICK_MS).unref();
    }
    this.settle(id);
    return this.#slots.has(id);
  }

  /** The session no longer waits, or its turn is over. */
  leave(id: string): void {
    this.#forget(id);
    const slot = this.#slots.get(id);
    if (slot) slot.hasWorked = true;
    this.settle();
  }

  /** Gives free slots to the next in line, after agents have started or stopped working. */
  settle(entering?: string): void {
    const { slots, onGranted } = this.#deps;
    const granted: string[] = [];
    for (;;) {
      const next = this.#isPaused ? null : nextInLine(this.#use(), slots);
      if (!next) break;
      const { id, owner, continues } = next;
      this.#forget(id);
      this.#slots.set(id, { owner, hasWorked: continues });
      this.#remember(owner);
      if (!continues && id !== entering) granted.push(id);
    }
    this.#positions = null;
    for (const id of granted) onGranted(id);
    for (const listener of this.#listeners) listener();
  }

  has(id: string): boolean {
    return this.#slots.has(id) || this.#line.has(id);
  }

  isWaiting(id: string): boolean {
    return this.#line.has(id);
  }

  /** True if the session has a slot that its agent does not use yet. */
  isStarting(id: string): boolean {
    return this.#slots.get(id)?.hasWorked === false;
  }

  /** The sessions in line, in the order in which they get slots. */
  waiting(): string[] {
    return lineUp(this.#use()).flatMap(({ id, continues }) => (continues ? [] : id));
  }

  /** 1 for the session that gets the next slot; null if it does not wait. */
  positionOf(id: string): number | null {
    if (!this.#line.has(id)) return null;
    this.#positions ??= new Map(lineUp(this.#use()).map((one, nth) => [one.id, nth + 1]));
    return this.#positions.get(id) ?? null;
  }

  refuse(owner: string): Refusal | null {
    return refuseToWait(this.#use(), owner, this.#deps.slots);
  }

  /** The number of slots that are free and that nobody waits for. */
  room(): number {
    return freeSlots(this.#use(), this.#deps.slots);
  }

  /** Calls back when positions may have changed. */
  onMoved(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Gives no more slots until a further session comes. */
  pause(): void {
    this.#isPaused = true;
  }

  close(): void {
    for (const id of [...this.#line.keys()]) this.#forget(id);
  }

  #onTick(): void {
    // Work in the background of an agent ends without a call.
    this.settle();
    this.#deps.onTick();
  }

  #remember(owner: string): void {
    this.#served.delete(owner);
    this.#served.add(owner);
    const [oldest] = this.#served;
    if (this.#served.size > MOST_SERVED && oldest !== undefined) this.#served.delete(oldest);
  }

  #forget(id: string): void {
    this.#line.get(id)?.stopWatching();
    this.#line.delete(id);
    if (this.#line.size > 0) return;
    clearInterval(this.#tick);
    this.#tick = undefined;
  }

  /** Takes back the slots of agents that no longer work. */
  #use(): AgentUse {
    const asking = new Map<string, string>();
    const working = new Map<string, string>();
    for (const { state, session } of this.#deps.agents()) {
      if (state === "asking") asking.set(session.id, session.owner);
      if (state === "working") working.set(session.id, session.owner);
    }
    for (const [id, slot] of this.#slots) {
      if (working.delete(id)) slot.hasWorked = true;
      else if (slot.hasWorked || asking.has(id)) this.#slots.delete(id);
    }
    const continuing = [...working].map(([id, owner]) => ({ id, owner, continues: true }));
    return {
      working: [...this.#slots.values()].map(({ owner }) => owner),
      asking: [...asking.values()],
      line: [...continuing, ...this.#line.values()],
      served: [...this.#served],
    };
  }
}

const TICK_MS = 1000;
const MOST_SERVED = 1000;
