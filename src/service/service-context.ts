import type { AgentInfo } from "../contract/agent-info.ts";
import type { Project } from "../contract/events.ts";
import type { SessionHead } from "../contract/head.ts";
import type { Interface, Scope, ServerRole } from "../contract/vocabulary.ts";
import type { StoredStream, StreamStore } from "../store/stream-store.ts";
import type { ImportAccess } from "./import-access.ts";
import type { FoundSession } from "./read/find-session.ts";

/** What the service is made of; time and ids come from outside, so that tests can say what they are. */
export interface ServiceContext {
  readonly store: StreamStore;
  now(): number;
  newId(): string;
  /** Told of every session that was changed, before its caller is answered. */
  onChanged?(changed: { readonly head: SessionHead; readonly stream: StoredStream }): Promise<void>;
  /** Told of every session that is gone for good, by its id: what is kept of it beside the store goes too. */
  onPurged?(session_id: string): Promise<void>;
  /** Told how far long work has come. */
  onProgress?(done: number, total: number): void;
  /** What runs agents here; without it none can be run. */
  readonly agents?: AgentAccess;
  /** Imports conversations of other tools; without it none are imported. */
  readonly imports?: ImportAccess;
  /** The folder in which agents' logs are kept; none where they are not. */
  readonly logs?: string;
}

export interface AgentAccess {
  list(cwd: string): Promise<AgentInfo[]>;
  /** Whether there is such an agent for someone in this folder, installed or not. Quicker than a list. */
  knows(name: string, cwd: string): Promise<boolean>;
  /** Throws where no such agent can be run in this folder. */
  expect(name: string, cwd: string): Promise<void>;
  /**
   * Finds the session's agent, unless someone drives the session, and returns the function that sets it to work. Throws
   * where the agent cannot be run here.
   */
  prepare(found: FoundSession): Promise<Drive>;
  readonly drive: Drive;
}

/** Sees to it that the session's messages are answered. */
export type Drive = (found: FoundSession) => Promise<void>;

/** In whose name an operation is called. Every id is resolved within `owner`. */
export interface Caller {
  readonly owner: string;
  readonly actor: string;
  readonly interface: Interface;
  readonly trace_id: string | null;
  /** What the caller's token allows; none: the caller has the data folder itself and may do everything. */
  readonly scope?: Scope;
  /** What the caller is on this server; absent for owners who are nobody on record. */
  readonly role?: ServerRole;
  /** Of that token. With scope `record` it reaches only sessions that it created. */
  readonly token_id?: string;
  /** Who acts, where that is someone with whom the owner has shared a session. */
  readonly person?: string;
  /** Where the caller works; what it creates belongs there unless it says otherwise. */
  readonly project?: Project | null;
}
