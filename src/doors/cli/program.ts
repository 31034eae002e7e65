import type { LogPlace } from "../../contract/event-cursor.ts";
import type { ImportReport } from "../../contract/import/import-report.ts";
import type { SessionToRun } from "../../contract/method-inputs.ts";
import type { RestoreReport } from "../../contract/recovery.ts";
import type { FollowedEvent, Task } from "../../contract/session.ts";
import type { ImportTool, Mirror } from "../../contract/vocabulary.ts";
import type { AuditWanted } from "../../service/audit/audited-streams.ts";
import type { AuditCheck, ExportedLine } from "../../service/audit/export-audit.ts";
import type { BelayService } from "../../service/belay-service.ts";
import type { ImportRun } from "../../service/import-access.ts";
import type { Maintenance, Verification } from "../../service/maintenance.ts";
import type { RecentWork } from "../../service/read/read-recent-work.ts";
import type { Caller } from "../../service/service-context.ts";
import type { SessionFiles } from "../../service/session-files.ts";
import type { AgentsAccess } from "./commands/agents-command.ts";
import type { TerminalConversation } from "./talk/terminal-conversation.ts";

/** The dependencies of the command line. The store is opened by the first command that needs it. */
export interface Program {
  readonly caller: Caller;
  readonly home: string;
  readonly version: string;
  open(options?: { readonly create: boolean }): Promise<OpenBelay>;
  readonly terminal: Terminal;
  /** The agents in the current folder. */
  agents(): AgentsAccess;
  /** Lets checkpoints record and restore the files of the work tree around the current folder. */
  trustWorkTree(): Promise<{ readonly root: string }>;
  /** `belay hooks` is an interface of its own; the command line only forwards to it. */
  hooks(args: readonly string[]): Promise<number>;
  /** `belay mcp` is an interface of its own too. */
  mcp(args: readonly string[]): Promise<number>;
  serve(options: ServeOptions): Promise<Serving>;
  /** A link that logs one browser in at the running server, as its user or as another person. */
  loginLink(person?: string): Promise<string>;
  /** Logs this program in to a server elsewhere; `show` gets the address and the code for a person. */
  deviceLogin(
    url: string,
    show: (url: string, code: string) => void,
  ): Promise<{ readonly owner: string; readonly file: string }>;
  /** Sets where secrets are replaced, for every process that uses this data folder from now on. */
  chooseRedaction(choice: "store" | "exports"): void;
  /** Manages the keys of encrypted data. */
  encryption(): Promise<EncryptionAccess>;
  /** Copies everything from one store into another. */
  migration(): Promise<MigrationAccess>;
  /** The same program with another data folder. */
  at(home: string): Program;
}

export interface MigrationAccess {
  run(
    places: { readonly from: string; readonly to: string },
    onProgress: (done: number, total: number) => void,
  ): Promise<Migration>;
}

export interface Migration {
  readonly streams: number;
  readonly events: number;
  /** The number of events that an earlier run had copied. */
  readonly skipped: number;
  /** The number of events that were written to the source meanwhile and are not in the copy. */
  readonly newer: number;
  readonly encrypted: boolean;
  /** The files with settings that were copied too. */
  readonly settings: readonly string[];
}

export interface EncryptionAccess {
  status(): Promise<EncryptionStatus>;
  /** Checks the stored bytes of encrypted data for someone who has no key. */
  verifyWithoutKey(): Promise<Verification>;
  /** Encrypts the data of a folder. `removed` are folders that held plain text, `left` those that still do. */
  enable(options: { readonly plain_mirrors: boolean }): Promise<{
    readonly encrypted: true;
    readonly removed: readonly string[];
    readonly left: readonly string[];
  }>;
  /** Wraps every key by a new master key. */
  rotate(): Promise<{ readonly wrapped: number; readonly master_key: string }>;
}

export interface EncryptionStatus {
  readonly encrypted: boolean;
  /** The source of the key that the environment names. */
  readonly key_from: "BELAY_KEY_FILE" | "BELAY_KEY_COMMAND" | null;
  /** The fingerprint of the master key. */
  readonly master_key: string | null;
  readonly owners: number;
  /** Keys of purged sessions whose events a fork still shares. */
  readonly kept_for_forks: number;
  /** The folders in which agents store conversations; Belay does not encrypt them. */
  readonly readable: readonly { readonly tool: string; readonly folder: string }[];
  /** Folders in which Belay has plain text: files that checkpoints recorded earlier, and mirrors. */
  readonly plain: readonly { readonly what: string; readonly folder: string }[];
}

export interface ServeOptions {
  readonly port: number;
  readonly host: string;
  readonly allowedHosts: readonly string[];
  /** Tools whose conversations the server imports continuously. */
  readonly imports: readonly ImportTool[];
  /** Paths of files. */
  readonly tls: { readonly cert: string; readonly key: string } | null;
  /** Null means the default for this terminal. */
  readonly log: string | null;
}

export interface Serving {
  readonly url: string;
  readonly tokenFile: string;
  /** A new link that logs one browser in, once. */
  loginUrl(): Promise<string>;
  /** Writes to the server's log. */
  note(text: string): void;
  /** Resolves if another server has taken over, because this one was silent for too long. */
  readonly overtaken: Promise<void>;
  /** Suspends the sessions that it served, ends streams and agents, and closes. */
  stop(): Promise<void>;
}

export interface OpenBelay {
  readonly service: BelayService;
  readonly maintenance: Maintenance;
  readonly workspace: Workspace;
  readonly imports: Imports;
  readonly files: SessionFiles;
  /** The newest actions, checkpoints and outcomes of a session. */
  recentWork(id: string): Promise<RecentWork>;
  /** The whole ids of the questions, open or closed, that end with these eight digits. */
  questionsEnding(digits: string): Promise<readonly string[]>;
  /** Exports the audit, and compares such a file with the store. */
  readonly audit: {
    export(wanted: AuditWanted): AsyncIterable<ExportedLine>;
    check(lines: AsyncIterable<string>): Promise<AuditCheck>;
  };
  /** A session's events after a place, as they come, until the signal. */
  follow(id: string, from: LogPlace, signal: AbortSignal): AsyncGenerator<FollowedEvent>;
  /** Opens a conversation with an agent, in a new or an existing session. */
  converse(place: SessionToRun): Promise<ResumableConversation>;
  close(): Promise<void>;
}

/** A conversation that can also be resumed, and left to others. */
export interface ResumableConversation extends TerminalConversation {
  /** Returns the turn that the message starts. */
  send(message: string): Promise<string>;
  resume(): Promise<void>;
  close(): void;
}

/** The folder in which the command was called. */
interface Workspace {
  /** Reads the new lines of its backlog file; null if there are none. */
  syncBacklog(
    source?: string,
  ): Promise<{ source: string; rows: number; damaged: readonly number[] } | null>;
  /** Adds a task to that file, if the file exists. */
  writeBacklog(task: Task): Promise<void>;
  /** `plain`: mirrors are wanted although the store is encrypted and they are not. */
  initialize(mirrors: readonly Mirror[], plain: boolean): Promise<void>;
  importGaia(
    folder: string,
    onProgress: (done: number, total: number) => void,
  ): Promise<GaiaReport>;
  /** Restores a session from the files of a Copilot workspace. */
  restore(file: string, options: { readonly dry_run: boolean }): Promise<RestoreReport>;
}

/** Conversations of other tools. */
interface Imports {
  /** The folder where the tool stores them on this machine. */
  home(tool: ImportTool): Promise<string>;
  run(
    tool: ImportTool,
    options: ImportRun & {
      readonly path: string;
      /** Files that did not change since the last run are skipped. */
      readonly seen?: Map<string, string>;
    },
  ): Promise<ImportReport>;
}

interface GaiaReport {
  readonly imported: readonly string[];
  readonly known: readonly string[];
  readonly damaged: readonly { readonly file: string; readonly why: string }[];
}

export interface Terminal {
  /** True prints JSON for programs instead of text for people. */
  readonly json: boolean;
  readonly interactive: boolean;
  readonly columns: number;
  /** Makes control characters visible instead of passing them to the terminal. */
  write(text: string): void;
  /** Messages for people only: progress, warnings. */
  note(text: string): void;
  /** Writes text unchanged, for code that moves the cursor and has made all other text visible. */
  draw(text: string): void;
}
