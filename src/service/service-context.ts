import type { AgentInfo } from "../contract/agent-info.ts";
import type { Project } from "../contract/events.ts";
import type { SessionHead } from "../contract/head.ts";
import type { Interface, Scope, ServerRole } from "../contract/vocabulary.ts";
import type { StoredRedaction } from "../redaction/stored-redaction.ts";
import type { StoredStream, StreamStore } from "../store/stream-store.ts";
import type { WorkTreeAccess } from "./checkpoint/work-tree-access.ts";
import type { ImportAccess } from "./import-access.ts";
import type { FoundSession } from "./read/find-session.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** The dependencies of the service. Time and ids come from outside, so that tests can set them. */
export interface ServiceContext {
  readonly store: StreamStore;
  now(): number;
  newId(): string;
  /** Called for every changed session, before its caller gets the answer. */
  onChanged?(changed: { readonly head: SessionHead; readonly stream: StoredStream }): Promise<void>;
  /** Called with every purged session, so that its files outside the store are removed too. */
  onPurged?(session: Pick<StoredStream, "owner" | "key">): Promise<void>;
  /** Called with the progress of long work. */
  onProgress?(done: number, total: number): void;
  /** Runs agents; without it, none can be run here. */
  readonly agents?: AgentAccess;
  /** Imports conversations of other tools; without it, none are imported. */
  readonly imports?: ImportAccess;
  /** Files in git work trees; without it checkpoints have none. */
  readonly workTrees?: WorkTreeAccess;
  /**
   * The variables of this process, whose secrets are hidden in redacted copies. A server has none, because its callers
   * may not read its variables, and could find them by guessing.
   */
  readonly variables?: Variables;
  /**
   * Replaces secrets before they are stored; without it, text is stored as it is. It also replaces the secrets among
   * the variables that were given to an agent, if it has said the text.
   */
  redaction?(ofAgent?: Variables): Promise<StoredRedaction>;
  /** True during an operation that closes something: the start of a session's id does not name the session. */
  readonly wholeIds?: true;
  /** The folder for agents' logs; undefined if none are stored. */
  readonly logs?: string;
}

export interface AgentAccess {
  list(cwd: string): Promise<AgentInfo[]>;
  /** True if the agent is known in this folder, installed or not. Faster than a list. */
  knows(name: string, cwd: string): Promise<boolean>;
  /** Throws if the agent cannot be run for this owner in this folder. */
  expect(owner: string, name: string, cwd: string): Promise<void>;
  /** The position of a session (entity id) in the line for a free agent; null if it does not wait. */
  positionOf(id: string): number | null;
  /**
   * Finds the session's agent, unless the session is driven, and returns the function that starts it. Throws if the
   * agent cannot be run here.
   */
  prepare(found: FoundSession): Promise<Drive>;
  readonly drive: Drive;
}

/** Makes sure that the session's messages are answered. */
export type Drive = (found: FoundSession) => Promise<void>;

/** The caller of an operation. Every id is resolved within `owner`. */
export interface Caller {
  readonly owner: string;
  readonly actor: string;
  readonly interface: Interface;
  readonly trace_id: string | null;
  /**
   * The scope of the caller's token; without one, the caller has direct access to the data folder and may do
   * everything.
   */
  readonly scope?: Scope;
  /** The caller's role on this server; absent for owners without a person on record. */
  readonly role?: ServerRole;
  /** True if that token is the login of a browser, which a person uses and no program. */
  readonly browser?: true;
  /** The id of that token. With scope `record` it only reaches sessions that it created. */
  readonly token_id?: string;
  /** The acting person, if the owner has shared a session with them. */
  readonly person?: string;
  /** The caller's working folder; new sessions belong there by default. */
  readonly project?: Project | null;
}
