import type { Caller, ServiceContext } from "../../../service/service-context.ts";

/** What hooks are given to work with. The store is opened by the first hook that needs it. */
export interface HookDeps {
  readonly home: string;
  readonly owner: string;
  /** Where this process runs: the only folder besides `home` that a hook may write in. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  now(): number;
  newId(): string;
  /** Told of every session that a hook has changed. */
  onChanged(store: ServiceContext["store"], changed: Changed): Promise<void>;
  /** With `readOnly`, a folder without data is refused with `storage_missing` and stays as it is. */
  openStore(options: OpenOptions): Promise<ServiceContext["store"]>;
  /** Set by a server, whose hooks share its open store and speak in its log. */
  readonly server?: HookServer;
}

type Changed = Parameters<NonNullable<ServiceContext["onChanged"]>>[0];

interface HookServer {
  /** Who called the hook over HTTP. */
  readonly caller: Caller;
  /** Where the one who asks says to work, unlike the server itself; only ever looked for in the log. */
  readonly asksIn: string | null;
  /** Instead of the log of the project in `cwd`. */
  noteFailure(hook: string, problem: string): void;
}

interface OpenOptions {
  readonly home: string;
  readonly busyMs: number;
  readonly readOnly: boolean;
}

/** What a hook prints. Whatever happens, it exits 0: an agent waits for it. */
export interface HookAnswer {
  readonly stdout: string;
  readonly exitCode: 0;
}
