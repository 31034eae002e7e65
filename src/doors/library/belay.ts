import type { AddedFile } from "../../contract/added-file.ts";
import type { RunEvent } from "../../contract/run-event.ts";
import type { Maintenance } from "../../service/maintenance.ts";
import type { StoredBlob as StoredFile } from "../../store/blob-store.ts";
import type { StreamStore } from "../../store/stream-store.ts";
import type {
  AgentStep,
  BelayOperations,
  KnownFile,
  LibraryOptions,
  LogEvent,
  NewFile,
  RunInNewSession,
  RunInSession,
  Turn,
} from "./operations.ts";

export interface BelayOptions extends LibraryOptions {
  /** A store of your own instead of the one in the data folder. Closing the handle closes it too. */
  readonly store?: StreamStore | undefined;
}

export type RunInput = RunInNewSession | RunInSession;

export interface AgentStepOutput {
  readonly conversation_id: string;
  readonly transcript: readonly Turn[];
  readonly summary: string;
  readonly artifacts: readonly Readonly<Record<string, unknown>>[];
}

/** An event of a log that is followed. */
export interface FollowedEvent extends LogEvent {
  /** The place after it. */
  readonly cursor: string;
}

export interface BelayFiles {
  /** Stores a file with a session, and records it there as an artifact. */
  add(file: NewFile, source: AsyncIterable<Uint8Array>): Promise<AddedFile>;
  read(file: KnownFile): Promise<StoredFile>;
  /** Removes the bytes. The record of the file stays. */
  drop(file: KnownFile): Promise<void>;
}

/** A handle on Belay's sessions, for one owner. */
export interface Belay extends BelayOperations {
  /**
   * A session's events after a seq or a cursor, as they are written, by any process. Each has a cursor from which a later
   * call continues. Throws `history_changed` if the event of the cursor is another one now, as after a restored backup.
   */
  follow(id: string, after: number | string, signal: AbortSignal): AsyncGenerator<FollowedEvent>;
  /**
   * Sends a message to an agent, in a new session or an existing one, and yields events until its turn is over. Leaving
   * the loop earlier interrupts the turn.
   */
  run(input: RunInput): AsyncGenerator<RunEvent>;
  /** Runs one step of a pipeline with an agent. Throws `SessionSuspended` if it waits for people. */
  runAgentStep(step: AgentStep): Promise<AgentStepOutput>;
  /** For a process that is shutting down: suspends every session that it drives and ends the agents. */
  suspendAll(): Promise<void>;
  /** Files stored with sessions, up to 64 MB each. */
  readonly files: BelayFiles;
  /** `verify`, `doctor` and `backup` of the store. A store without these functions refuses them. */
  readonly maintenance: Maintenance;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
