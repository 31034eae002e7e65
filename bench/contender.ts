/** A store under measurement. A new one is a file that exports a `Contender` and a line in contenders.ts. */
export interface Contender {
  readonly name: string;
  /** Omitted if every write survives a power cut. */
  readonly durability?: "process";
  /** Opens an empty store whose files are all in `folder`, which exists and is empty. */
  open(folder: string): Promise<OpenContender>;
}

/**
 * Every write is durable (fsynced, unless its contender says otherwise) when its promise resolves, except in the two
 * `seed` methods.
 */
export interface OpenContender {
  createSession(session: string, agent: string): Promise<void>;
  appendTurn(session: string, text: string): Promise<void>;
  /** The same with an idempotency key; undefined if the store has none. */
  appendKeyed?(session: string, text: string, key: string): Promise<void>;
  /**
   * One caller per entry of `callers` (a session may occur many times), each appending `turnsEach` turns one after
   * another.
   */
  appendConcurrently(callers: readonly string[], turnsEach: number, text: string): Promise<void>;
  resume(session: string): Promise<Resumed>;
  /** The newest sessions of that status and agent, newest first. */
  list(filter: ListFilter): Promise<readonly ListedSession[]>;
  /** `child` continues from the parent's turn `atTurn`, or from its last one. */
  fork(parent: string, child: string, atTurn?: number): Promise<void>;
  /** Fast and not durable until it returns: the state that this many `createSession` calls would leave. */
  seedSessions(sessions: Iterable<ListedSession>): Promise<void>;
  /** Fast and not durable until it returns: the state that this many `appendTurn` calls would leave. */
  seedTurns(session: string, texts: Iterable<string>): Promise<void>;
  /** All files in the folder, anchor included, after a checkpoint and without a vacuum. */
  diskBytes(): Promise<number>;
  close(): Promise<void>;
}

export interface Resumed {
  /** The number of turns in the whole session, read from its head. */
  readonly turnCount: number;
  /** The texts of the last 50 turns, oldest first. */
  readonly turns: readonly string[];
}

export interface ListFilter {
  readonly status: SessionStatus;
  readonly agent: string;
  readonly limit: number;
}

export interface ListedSession {
  readonly session: string;
  readonly agent: string;
  readonly status: SessionStatus;
}

export const sessionStatuses = [
  "created",
  "active",
  "suspended",
  "completed",
  "failed",
  "cancelled",
  "archived",
] as const;

export type SessionStatus = (typeof sessionStatuses)[number];

/** The number of turns that a resume returns. */
export const resumedTurns = 50;
