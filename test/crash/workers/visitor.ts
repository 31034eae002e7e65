import { spawnSync } from "node:child_process";
import { writeSync } from "node:fs";
import { type Belay, BelayError, openBelay } from "../../../src/index.ts";
import { loadStream } from "../../../src/store/read-streams.ts";
import { openSqliteStore } from "../../../src/store/sqlite/open-sqlite-store.ts";

/** Becomes a user without any rights, then tries to read, write, open read-only, and verify. Prints the results. */
const [, , home = "", id = "", belay = ""] = process.argv;
if (process.getuid?.() === 0) {
  process.setgroups?.([]);
  process.setgid?.(65_534);
  process.setuid?.(65_534);
}
const read = await attempt(async (belay) => {
  const { events } = await belay.sessions.log({ id });
  return `${events.length} events`;
});
const write = await attempt(async (belay) => {
  const { version } = await belay.turns.record({ id, input: "a visitor", output: "" });
  return `version ${version}`;
});
const browse = await attemptReading();
const command = belay === "" ? "" : runCommand();
writeSync(1, JSON.stringify({ read, write, browse, command }));

function runCommand(): string {
  const env = { BELAY_HOME: home, PATH: process.env.PATH };
  const { status, stderr } = spawnSync(process.execPath, [belay, "verify"], { cwd: "/", env });
  return `${status} ${stderr}`;
}

async function attempt(work: (belay: Belay) => Promise<string>): Promise<string> {
  try {
    const belay = await openBelay({ home });
    try {
      return await work(belay);
    } finally {
      await belay.close();
    }
  } catch (error) {
    return error instanceof BelayError ? error.code : `untyped: ${error}`;
  }
}

async function attemptReading(): Promise<string> {
  try {
    const store = await openSqliteStore({ folder: home, isAlive: () => true, readOnly: true });
    const stream = await loadStream(store, { kind: "session", owner: "local", key: id });
    await store.close();
    return `${stream?.seq} events`;
  } catch (error) {
    return error instanceof BelayError ? error.code : `untyped: ${error}`;
  }
}
