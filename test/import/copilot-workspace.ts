import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recoverSession } from "../../src/drive/recovery/recover-session.ts";
import { restoreWorkspace } from "../../src/integrations/copilot/restore-workspace.ts";
import { writeMirrors } from "../../src/integrations/write-mirrors.ts";
import { newId } from "../../src/service/new-id.ts";
import type { Caller, ServiceContext } from "../../src/service/service-context.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { loadStream, readEvents } from "../../src/store/read-streams.ts";

export const TRACE = "6f1d3a52-0c3e-4b9e-9a51-3f4b8f0f7c11";
export const SESSION = `copilot-${TRACE}`;
export const CALLER: Caller = {
  owner: "local",
  actor: "user:test",
  interface: "cli",
  trace_id: "trace-of-the-command",
};

/** A workspace as an agent with such files leaves it. */
export function newWorkspace() {
  const cwd = mkdtempSync(join(tmpdir(), "belay-copilot-"));
  mkdirSync(join(cwd, ".copilot"));
  const store = openMemoryStore();
  const context: ServiceContext = {
    store,
    now: Date.now,
    newId,
    onChanged: (changed) => writeMirrors(store, changed, () => {}),
  };
  const file = join(cwd, ".copilot", "session_state.json");
  return {
    cwd,
    file,
    log: join(cwd, "events.ndjson"),
    context,
    writeState: (state: object | string) =>
      writeFileSync(file, typeof state === "string" ? state : JSON.stringify(state)),
    writeLog: (...lines: readonly (object | string)[]) =>
      writeFileSync(join(cwd, "events.ndjson"), lines.map((line) => `${textOf(line)}\n`).join("")),
    restore: (options: { dry_run?: boolean } = {}) =>
      restoreWorkspace(context, CALLER, file, {
        dry_run: options.dry_run ?? false,
        recoverSession,
        rehearse: () => ({ ...context, store: openMemoryStore(), onChanged: async () => {} }),
      }),
    /** All files except the current locks. */
    contents: () =>
      readdirSync(cwd, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .toSorted()
        .map((path) => [path.slice(cwd.length + 1), readFileSync(path, "base64")]),
    /** The session's own log. */
    events: async (key: string = SESSION) => {
      const stream = await loadStream(store, { kind: "session", owner: "local", key });
      return stream ? readEvents(store, stream.id, { after: 0, limit: 1000 }) : [];
    },
    lines: () => readLines(join(cwd, "events.ndjson")),
    state: (): unknown => JSON.parse(readFileSync(file, "utf8")),
    remove: () => rmSync(cwd, { recursive: true, force: true }),
  };
}
export type TestWorkspace = ReturnType<typeof newWorkspace>;

/** Complete records of a log, as other readers see them. */
export function readLines(path: string): Record<string, unknown>[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line) => {
      try {
        return [Object(JSON.parse(line))];
      } catch {
        return [];
      }
    });
}

let second = 0;
/** One line of the log, a second after the previous one. */
export function event(type: string, fields: object = {}): object {
  second += 1;
  const timestamp = new Date(Date.parse("2026-01-08T18:00:00Z") + second * 1000).toISOString();
  return { type, timestamp, trace_id: TRACE, ...fields };
}

export function stateWith(fields: object = {}): object {
  return {
    current_task_id: null,
    steps_completed: [],
    next_immediate_step: null,
    last_sync: "2026-01-08T18:00:30Z",
    trace_id: TRACE,
    process_map: {},
    events_cursor: 0,
    notes: "as it was",
    ...fields,
  };
}

export function processWith(pid: number, fields: object = {}): object {
  return {
    pid,
    cmd: "deploy.sh --prod",
    started_at: "2026-01-08T18:00:00Z",
    stdout_path: "/tmp/deploy.out",
    stderr_path: null,
    ...fields,
  };
}

function textOf(line: object | string): string {
  return typeof line === "string" ? line : JSON.stringify(line);
}
