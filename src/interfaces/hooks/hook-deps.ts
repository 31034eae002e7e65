import type { ServiceContext } from "../../service/context.ts";

/** What hooks are given to work with. The store is opened by the first hook that needs it. */
export interface HookDeps {
  readonly home: string;
  readonly owner: string;
  /** Where this process runs: the only folder besides `home` that a hook may write in. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  now(): number;
  newId(): string;
  /** With `readOnly`, a folder without data is refused with `storage_missing` and stays as it is. */
  openStore(options: OpenOptions): Promise<ServiceContext["store"]>;
}

export interface OpenOptions {
  readonly home: string;
  readonly busyMs: number;
  readonly readOnly: boolean;
}

/** What a hook prints. Whatever happens, it exits 0: an agent waits for it. */
export interface HookAnswer {
  readonly stdout: string;
  readonly exitCode: 0;
}
