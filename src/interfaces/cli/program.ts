import type { ImportReport } from "../../contract/import-report.ts";
import type { RunPlace } from "../../contract/library-input.ts";
import type { RestoreReport } from "../../contract/recovery.ts";
import type { LogEvent, Task } from "../../contract/session.ts";
import type { ImportTool, Mirror } from "../../contract/vocabulary.ts";
import type { BelayService } from "../../service/belay-service.ts";
import type { ImportRun } from "../../service/import-access.ts";
import type { Maintenance } from "../../service/maintenance.ts";
import type { RecentWork } from "../../service/read/read-recent-work.ts";
import type { Caller } from "../../service/service-context.ts";
import type { SessionFiles } from "../../service/session-files.ts";
import type { AgentsAccess } from "./commands/agents-command.ts";
import type { Conversation } from "./talk/conversation.ts";

/** What the command line is given to work with. The store is opened by the first command that needs it. */
export interface Program {
  readonly caller: Caller;
  readonly home: string;
  readonly version: string;
  open(options?: { readonly create: boolean }): Promise<OpenBelay>;
  readonly terminal: Terminal;
  /** Which agents there are in the current folder. */
  agents(): AgentsAccess;
  /** `belay hooks`: a door of its own, to which the command line only shows the way. */
  hooks(args: readonly string[]): Promise<number>;
  /** `belay mcp`: another door. */
  mcp(args: readonly string[]): Promise<number>;
  serve(options: ServeOptions): Promise<Serving>;
  /** A link that logs one browser in at the server that runs, as its user or as another person. */
  loginLink(person?: string): Promise<string>;
  /** The same program on another data folder. */
  at(home: string): Program;
}

export interface ServeOptions {
  readonly port: number;
  readonly host: string;
  readonly allowedHosts: readonly string[];
  /** Tools whose conversations the server keeps importing. */
  readonly imports: readonly ImportTool[];
  /** Files. */
  readonly tls: { readonly cert: string; readonly key: string } | null;
  /** Null: what the terminal leaves room for. */
  readonly log: string | null;
}

export interface Serving {
  readonly url: string;
  readonly tokenFile: string;
  /** A new link that lets one browser in, once. */
  loginUrl(): string;
  /** Writes to its log. */
  note(text: string): void;
  /** Resolves when another server has taken over, because this one was silent for too long. */
  readonly overtaken: Promise<void>;
  /** Suspends the sessions that it has served, ends streams and agents, and closes. */
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
  /** A session's events after `seq`, as they come, until the signal. */
  follow(id: string, seq: number, signal: AbortSignal): AsyncGenerator<LogEvent>;
  /** Talks with an agent, in a new session or in one that there is. */
  converse(place: RunPlace): Promise<TakenUp>;
  close(): Promise<void>;
}

/** A conversation that can also be taken up where it was left, and be left to others. */
export interface TakenUp extends Conversation {
  /** Answers the turn that the message begins. */
  send(message: string): Promise<string>;
  takeUp(): Promise<void>;
  close(): void;
}

/** The folder that the command was called in. */
interface Workspace {
  /** Reads what its backlog file says since the last time; null when there is nothing new. */
  syncBacklog(
    source?: string,
  ): Promise<{ source: string; rows: number; damaged: readonly number[] } | null>;
  /** Lets readers of that file see a task, where there is such a file. */
  writeBacklog(task: Task): Promise<void>;
  initialize(mirrors: readonly Mirror[]): Promise<void>;
  importGaia(
    folder: string,
    onProgress: (done: number, total: number) => void,
  ): Promise<GaiaReport>;
  /** Restores the session that the files of a Copilot workspace tell of. */
  restore(file: string, options: { readonly dry_run: boolean }): Promise<RestoreReport>;
}

/** Conversations of other tools. */
interface Imports {
  /** Where the tool keeps them on this machine. */
  home(tool: ImportTool): Promise<string>;
  run(
    tool: ImportTool,
    options: ImportRun & {
      readonly path: string;
      /** Files that did not change since the last time are not read again. */
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
  /** Human output goes to people, JSON to programs. */
  readonly json: boolean;
  readonly interactive: boolean;
  readonly columns: number;
  /** Shows what a terminal would obey instead of letting it through. */
  write(text: string): void;
  /** For people only: progress, warnings. */
  note(text: string): void;
  /** As it is: for those who move the cursor themselves and have made all text in it visible. */
  draw(text: string): void;
}
