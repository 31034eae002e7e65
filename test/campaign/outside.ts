/** A promise of Belay: this event is in that session's log once, at or before `version`. */
export interface Acknowledged {
  readonly session: string;
  readonly type: string;
  readonly id: string;
  readonly version: number;
}

/** The world outside Belay: it outlives every process, and does not depend on Belay. */
export interface Outside {
  /** Writes one line to the world's own record. A repeated key is ignored. */
  effect(name: string, key: string | null): void;
  acknowledge(acknowledged: Acknowledged): void;
  /** A command that undoes an effect. */
  undoCommand(name: string): string;
}

/** Called wherever a death could matter. It throws, never returns, or returns a promise to wait for. */
export type Beat = () => Promise<void> | undefined;

export interface Effect {
  readonly name: string;
  readonly key: string | null;
}
