import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createService } from "../../src/compose-service.ts";
import { BelayError, refuse } from "../../src/contract/errors.ts";
import type { SessionHead } from "../../src/contract/head.ts";
import type { Input, OperationName, Output } from "../../src/contract/operations.ts";
import { isSessionHead } from "../../src/core/session/known-events.ts";
import { startDeadline } from "../../src/integrations/claude/hooks/deadline.ts";
import type { HookDeps } from "../../src/integrations/claude/hooks/hook-deps.ts";
import { runHook } from "../../src/integrations/claude/hooks/run-hook.ts";
import { writeMirrors } from "../../src/integrations/write-mirrors.ts";
import { newId } from "../../src/service/new-id.ts";
import { loadStream, readEvents } from "../../src/store/read-streams.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import type { StoredEvent } from "../../src/store/stream-store.ts";

export const START = Date.UTC(2026, 0, 8, 18, 5, 30);
export const MINUTE = 60_000;

/** A home and a project of their own, a clock that stands still, and a real store. */
export interface HookLab {
  readonly home: string;
  readonly cwd: string;
  readonly deps: HookDeps;
  /** Moves the clock. */
  wait(ms: number): void;
  /** Runs a hook in this process and returns its output. */
  hook(name: string, payload: unknown): Promise<string>;
  /** Calls any operation of the service, like the command line. */
  call<K extends OperationName>(operation: K, input: Input<K>): Promise<Output<K>>;
  sessions(): Promise<SessionHead[]>;
  log(id: string): Promise<readonly StoredEvent[]>;
  /** The sightings in either spool. */
  spooled(): string[];
  failures(): string;
  clean(): void;
}

export function createLab(options: { env?: Record<string, string>; owner?: string } = {}): HookLab {
  const root = mkdtempSync(join(tmpdir(), "belay-hooks-"));
  const [home, cwd] = [join(root, "home"), join(root, "project")];
  mkdirSync(cwd);
  const owner = options.owner ?? "local";
  let now = START;
  const open = (busyMs: number, readOnly: boolean) =>
    openSqliteStore({ folder: home, isAlive: () => false, busyMs, readOnly });
  const deps: HookDeps = {
    home,
    owner,
    cwd,
    env: options.env ?? {},
    now: () => now,
    newId,
    onChanged: (store, changed) =>
      writeMirrors(store, changed, (text) => {
        throw new Error(text);
      }),
    async openStore({ home: folder, busyMs, readOnly }) {
      if (readOnly && !list(folder).includes("belay.db")) {
        throw new BelayError(refuse("storage_missing", "nothing there"));
      }
      return openSqliteStore({ folder, isAlive: () => false, busyMs, readOnly });
    },
  };
  return {
    home,
    cwd,
    deps,
    wait: (ms) => {
      now += ms;
    },
    async hook(name, payload) {
      const text = typeof payload === "string" ? payload : JSON.stringify(payload);
      const { stdout } = await runHook(name, text, deps, startDeadline(0, PATIENT_MS));
      return stdout;
    },
    async call(operation, input) {
      const store = await open(10_000, false);
      try {
        const service = createService({ store, now: () => now, newId });
        const caller = {
          owner,
          actor: "test",
          interface: "cli",
          trace_id: null,
          project: { cwd, repo: null, branch: null },
        } as const;
        return await service.call(operation, input, caller);
      } finally {
        await store.close();
      }
    },
    async sessions() {
      const store = await open(10_000, false);
      try {
        const { streams } = await store.list({ kind: "session", owner, filter: {}, limit: 1000 });
        return streams.flatMap(({ head }) => (isSessionHead(head) ? [head] : []));
      } finally {
        await store.close();
      }
    },
    async log(id) {
      const store = await open(10_000, false);
      try {
        const stream = await loadStream(store, { kind: "session", owner, key: id });
        return stream ? await readEvents(store, stream.id, { after: 0, limit: 1000 }) : [];
      } finally {
        await store.close();
      }
    },
    spooled: () =>
      [join(home, "spool"), join(cwd, ".claude", "belay-spool")]
        .flatMap(list)
        .filter((name) => name !== ".gitignore"),
    failures: () => {
      try {
        return readFileSync(join(cwd, ".claude", "logs", "pre_delegate.log"), "utf8");
      } catch {
        return "";
      }
    },
    clean: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** These tests do not measure the speed of the machine. */
const PATIENT_MS = 20_000;

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The payloads of a recorded run of Claude Code, in order. */
export function readPayloads(name: string): Record<string, unknown>[] {
  const file = join(import.meta.dirname, "payloads", `${name}.jsonl`);
  return readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

export const RECORDINGS = [
  "plain",
  "tool",
  "resume",
  "denied",
  "sub",
  "kill-TERM",
  "kill-KILL",
] as const;
