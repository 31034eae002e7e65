import { type ChildProcess, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { z } from "zod";
import { openBelay } from "../../src/index.ts";
import { readAcknowledgements } from "../crash/acknowledgements.ts";
import { findLosses } from "../crash/find-losses.ts";
import { recording, startRecorded } from "./recorder.ts";

/** Runs a program in a pid namespace of its own; null if that is not permitted here. */
export const apart = [["-pf"], ["-Urpf"]]
  .map((flags) => ["unshare", ...flags, "--kill-child", "sh", "-c", '"$@"; exit $?', "sh"])
  .find(([program = "", ...args]) => spawnSync(program, [...args, "true"]).status === 0);

export interface Pause {
  /** A folder that does not exist. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /**
   * Where the writer stops: the kind of change, the end of the file's name, and the number of the change. Or a function
   * that stops something else, and returns what lets it go on.
   */
  readonly stop: string | (() => Promise<() => void>);
  readonly ms: number;
  readonly isApart: boolean;
  /** As a control, nobody takes the lock of a store in files. */
  readonly isUnlocked?: boolean;
  /** True if the writer has the lock there, so that nobody else can write. */
  readonly isLocked: boolean;
}

/**
 * Stops a writer inside of a write (SIGSTOP) while two others write, lets it go on, and returns every promise that was
 * broken, and the codes of the refusals.
 */
export async function pauseWriter(pause: Pause) {
  const { folder, env, stop, ms, isApart, isLocked, isUnlocked = false } = pause;
  const home = join(folder, "home");
  mkdirSync(folder, { recursive: true });
  const belay = await openBelay({ home });
  for (const session_id of SESSIONS) await belay.sessions.create({ agent_name: "a", session_id });
  await belay.close();

  const start = async (name: string, most: number, forMs: number, more = {}) => {
    const mode = isUnlocked ? "unlocked" : "honest";
    const args = [home, join(folder, name), name, `${most}`, `${forMs}`, mode];
    const inside = name === FROZEN && isApart ? apart : [];
    // A stopped program would stay for ever if this process were ended.
    const under = ["timeout", "-s", "KILL", `${(2 * ms) / 1000 + 120}`, ...(inside ?? [])];
    const child = await startRecorded("writing", args, { ...env, ...more }, under);
    return { child, end: once(child, "close") };
  };
  const place = { root: folder, notes: "/dev/null" };
  const stopping = typeof stop === "string" ? { ...recording(place), STOP_AT: stop } : {};
  const frozen = await start(FROZEN, 60, 2 * ms + 60_000, stopping);
  const goOn = await (typeof stop === "string" ? untilStopped(frozen.child) : stop());
  const ends = [frozen.end];
  try {
    for (const name of OTHERS) ends.push((await start(name, 1e6, ms + 1500)).end);
    await sleep(ms);
    const meanwhile = OTHERS.flatMap((name) => readAcknowledgements(join(folder, name)));
    if (isLocked) expect(meanwhile).toEqual([]);
  } finally {
    goOn();
  }
  const codes = (await Promise.all(ends)).map(([code]) => code);
  const failed = codes.filter((code) => code !== 0).map((code) => `a writer ended with ${code}`);
  const promises = [FROZEN, ...OTHERS].flatMap((name) => readAcknowledgements(join(folder, name)));
  const refusals = [FROZEN, ...OTHERS].flatMap((name) =>
    readRefusals(join(folder, `${name}-refused`)),
  );
  try {
    const { problems } = await findLosses(home, promises);
    return { problems: [...failed, ...problems, ...(await findRefused(home, refusals))], refusals };
  } catch (error) {
    return { problems: [...failed, String(error)], refusals };
  }
}

const FROZEN = "frozen";
const OTHERS = ["other-1", "other-2"];
const SESSIONS = ["shared", FROZEN, ...OTHERS];

const Refusal = z.object({ text: z.string(), code: z.string() });

function readRefusals(path: string) {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => Refusal.parse(JSON.parse(line)));
}

/** The writes that were refused because the store was busy, and took place. */
async function findRefused(home: string, refusals: readonly z.infer<typeof Refusal>[]) {
  const belay = await openBelay({ home });
  const written = new Set<unknown>();
  for (const id of SESSIONS) {
    for (let after = 0; ; ) {
      const { events } = await belay.sessions.log({ id, after, limit: 1000 });
      for (const { data } of events) written.add(data.input);
      if (events.length === 0) break;
      after += events.length;
    }
  }
  await belay.close();
  const busy = refusals.filter(({ code }) => code === "store_busy");
  return busy.filter(({ text }) => written.has(text)).map(({ text }) => `${text} was refused`);
}

/** Resolves when a process of the program's group is stopped. */
async function untilStopped({ pid = 0 }: ChildProcess): Promise<() => void> {
  await expect.poll(() => statesOf(pid), { interval: 10 }).toContain("T");
  return () => void process.kill(-pid, "SIGCONT");
}

function statesOf(group: number): string[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const [, state, , of] =
        /\) (\S) (\d+) (\d+)/.exec(readFileSync(`/proc/${name}/stat`, "utf8")) ?? [];
      return Number(of) === group && state !== undefined ? [state] : [];
    } catch {
      return [];
    }
  });
}
