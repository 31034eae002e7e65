/** What Belay has promised: this event stands in that session's log, once, at or before `version`. */
export interface Acknowledged {
  readonly session: string;
  readonly type: string;
  readonly id: string;
  readonly version: number;
}

/** The world outside of Belay: it outlives every process, and nobody in it asks Belay. */
export interface Outside {
  /** One line in the world's own record. What has a key is ignored by it the second time. */
  effect(name: string, key: string | null): void;
  acknowledge(acknowledged: Acknowledged): void;
  /** A command that takes an effect back. */
  undoCommand(name: string): string;
}

/** Called wherever a death could make a difference. It throws, never returns, or answers what has to be waited for. */
export type Beat = () => Promise<void> | undefined;

export interface Effect {
  readonly name: string;
  readonly key: string | null;
}
