import { randomUUID } from "node:crypto";
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { parseRecord } from "../../contract/is-record.ts";
import { readEncryptionMark } from "../../files/encryption-mark.ts";
import { identifyProcess, isAlive, type ProcessIdentity } from "../../process/process-identity.ts";
import { type Remembered, readRemembered } from "./remembered.ts";

/** The agent's stored sessions: one file each, one line for each event. */
export interface Memory {
  /** Returns a new session's id. */
  create(cwd: string): string;
  /** Null if the session does not exist. Oldest first. */
  read(id: string): readonly Remembered[] | null;
  /** Survives the death of this process once it returns. */
  append(id: string, lines: readonly Remembered[]): void;
  /** Empties the session without removing it. */
  wipe(id: string): void;
  list(): readonly { readonly id: string; readonly changed_at: Date }[];
  /** Records that this process has the session open. */
  markOpen(id: string): void;
  markClosed(id: string): void;
  isOpenElsewhere(id: string): boolean;
}

export function createMemory(env: NodeJS.ProcessEnv): Memory {
  const home = env.BELAY_HOME || join(homedir(), ".belay");
  // Writes no plain text if the store is encrypted; the next process then knows only what Belay tells it.
  if (!env.BELAY_DEMO_FOLDER && readEncryptionMark(home)) return forgetfulMemory();
  const folder = resolve(env.BELAY_DEMO_FOLDER || join(home, "demo-agent"));
  const fileOf = (id: string): string => join(folder, `${id}.ndjson`);
  const holderOf = (id: string): string => join(folder, `${id}.open`);

  return {
    create(cwd) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const id = `demo-${randomUUID()}`;
      const first: Remembered = { kind: "session", cwd, made_at: Date.now() };
      writeFileSync(fileOf(id), toLines([first]), { mode: 0o600, flag: "wx" });
      return id;
    },
    read(id) {
      const text = ID.test(id) ? readText(fileOf(id)) : null;
      return text?.split("\n").flatMap((line) => readRemembered(line) ?? []) ?? null;
    },
    append: (id, lines) => appendFileSync(fileOf(id), toLines(lines), { mode: 0o600 }),
    wipe: (id) => writeFileSync(fileOf(id), "", { mode: 0o600 }),
    list() {
      const ids = readFolder(folder).flatMap((name) => /^(.+)\.ndjson$/.exec(name)?.[1] ?? []);
      return ids.map((id) => ({ id, changed_at: statSync(fileOf(id)).mtime }));
    },
    markOpen(id) {
      writeFileSync(holderOf(id), JSON.stringify(identifyProcess(process.pid)), { mode: 0o600 });
    },
    markClosed: (id) => rmSync(holderOf(id), { force: true }),
    isOpenElsewhere(id) {
      const holder = readHolder(readText(holderOf(id)));
      return holder !== null && holder.pid !== process.pid && isAlive(holder);
    },
  };
}

function forgetfulMemory(): Memory {
  const sessions = new Map<string, readonly Remembered[]>();
  const started = new Date();
  return {
    create(cwd) {
      const id = `demo-${randomUUID()}`;
      sessions.set(id, [{ kind: "session", cwd, made_at: Date.now() }]);
      return id;
    },
    read: (id) => sessions.get(id) ?? null,
    append: (id, lines) => void sessions.set(id, [...(sessions.get(id) ?? []), ...lines]),
    wipe: (id) => void sessions.set(id, []),
    list: () => [...sessions.keys()].map((id) => ({ id, changed_at: started })),
    markOpen: () => undefined,
    markClosed: () => undefined,
    isOpenElsewhere: () => false,
  };
}

/** Ids come from clients and become file names. */
const ID = /^demo-[0-9a-f-]{36}$/;

function toLines(lines: readonly Remembered[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

function readHolder(text: string | null): ProcessIdentity | null {
  const { pid, start_time, boot_id } = parseRecord(text ?? "") ?? {};
  if (typeof pid !== "number") return null;
  return {
    pid,
    start_time: typeof start_time === "number" ? start_time : null,
    boot_id: typeof boot_id === "string" ? boot_id : null,
  };
}

function readFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
