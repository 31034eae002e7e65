import type { Caller, ServiceContext } from "../../../service/service-context.ts";

/** The dependencies of hooks. The store is opened by the first hook that needs it. */
export interface HookDeps {
  readonly home: string;
  readonly owner: string;
  /** The working folder of this process: the only folder besides `home` that a hook may write in. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  now(): number;
  newId(): string;
  /** Called for every session that a hook has changed. */
  onChanged(store: ServiceContext["store"], changed: Changed): Promise<void>;
  /** With `readOnly`, a folder without data is refused with `storage_missing` and stays unchanged. */
  openStore(options: OpenOptions): Promise<ServiceContext["store"]>;
  /** Replaces secrets before they are written anywhere. */
  readonly redaction?: ServiceContext["redaction"];
  /** True if an event may wait in the spool, because nothing can show its session before it is delivered. */
  mayEventsWait?(): Promise<boolean>;
  /** Set by a server, whose hooks share its open store and its log. */
  readonly server?: HookServer;
}

type Changed = Parameters<NonNullable<ServiceContext["onChanged"]>>[0];

interface HookServer {
  /** The caller of the hook over HTTP. */
  readonly caller: Caller;
  /** The caller's working folder, unlike the server's own; it is only looked up in the log. */
  readonly asksIn: string | null;
  /** Replaces the log of the project in `cwd`. */
  noteFailure(hook: string, problem: string): void;
}

interface OpenOptions {
  readonly home: string;
  readonly busyMs: number;
  readonly readOnly: boolean;
}

/** The output of a hook. It always exits with 0, because an agent waits for it. */
export interface HookAnswer {
  readonly stdout: string;
  readonly exitCode: 0;
}
