import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import type { Chore, ChoreOutcome, RunningChores } from "../../src/server/chores/chores.ts";
import { startChores } from "../../src/server/chores/chores.ts";
import { PATIENCE_MS } from "../patience.ts";
import { until } from "../run/run-lab.ts";

const running: RunningChores[] = [];
afterEach(async () => {
  for (const chores of running.splice(0)) await chores.stop();
});

interface Line {
  readonly level: "debug" | "info" | "error";
  readonly fields: object;
  readonly text: string;
}

/** Starts chores and records their reports. */
function start(...chores: Chore[]) {
  const lines: Line[] = [];
  const runs: { name: string; outcome: ChoreOutcome; ms: number; counts: object }[] = [];
  const write = (level: Line["level"]) => (fields: object, text: string) => {
    lines.push({ level, fields, text });
  };
  const started = startChores(chores, {
    log: { debug: write("debug"), info: write("info"), error: write("error") },
    observe: (name, outcome, ms, counts) => void runs.push({ name, outcome, ms, counts }),
  });
  running.push(started);
  return { ...started, lines, runs };
}

const idle = async () => ({ counts: { done: 0 } });

describe("chores", () => {
  it("run at once, and then regularly", async () => {
    const { runs } = start({ name: "tidy", every_ms: 5, run: idle });
    await until("three runs", () => runs.length >= 3);
    expect(runs[0]).toMatchObject({ name: "tidy", outcome: "idle", counts: { done: 0 } });
  });

  it("never run twice at the same time, and skip missed runs", async () => {
    let now = 0;
    let most = 0;
    const gate = Promise.withResolvers<void>();
    const slow: Chore = {
      name: "slow",
      every_ms: 1,
      async run() {
        now += 1;
        most = Math.max(most, now);
        await gate.promise;
        now -= 1;
        return { counts: {} };
      },
    };
    const { runs: others } = start({ name: "other", every_ms: 1, run: idle });
    const { runs } = start(slow);
    await until("others to go on", () => others.length > 20);
    expect([most, runs.length]).toEqual([1, 0]);
    gate.resolve();
    await until("the next run", () => runs.length >= 2);
    expect(most).toBe(1);
  });

  it("log their results, and log idle runs at debug level", async () => {
    const results = [
      { counts: { done: 2 } },
      { counts: { done: 0 } },
      { counts: {}, notes: ["x"] },
    ];
    const { lines, runs } = start({
      name: "tidy",
      every_ms: 1,
      run: async () => results.shift() ?? { counts: {} },
    });
    await until("three runs", () => runs.length >= 3);
    expect(lines.slice(0, 3)).toMatchObject([
      { level: "info", fields: { chore: "tidy", done: 2 } },
      { level: "debug", fields: { chore: "tidy" } },
      { level: "info", fields: { chore: "tidy", notes: ["x"] } },
    ]);
    expect(runs.slice(0, 3).map(({ outcome }) => outcome)).toEqual(["done", "idle", "done"]);
  });

  it("that fail are counted and retried, and end nothing else", async () => {
    let tries = 0;
    const { lines, runs } = start({
      name: "shaky",
      every_ms: 3_600_000,
      async run() {
        tries += 1;
        if (tries === 1) throw new Error("no luck");
        return { counts: { done: 1 } };
      },
    });
    await until("another run", () => runs.length >= 2);
    expect(runs.slice(0, 2)).toMatchObject([
      { outcome: "failed", counts: {} },
      { outcome: "done" },
    ]);
    expect(lines[0]).toMatchObject({ level: "error", fields: { chore: "shaky" } });
    expect(lines[0]?.fields).toHaveProperty("err.message", "no luck");
  });

  it("stop after their current run, and do not start again", async () => {
    const begun = Promise.withResolvers<void>();
    let ended = false;
    const { stop, runs } = start({
      name: "long",
      every_ms: 1,
      async run(signal) {
        begun.resolve();
        await until("the end", () => signal.aborted);
        ended = true;
        return { counts: { done: 1 } };
      },
    });
    await begun.promise;
    await stop();
    expect(ended).toBe(true);
    expect(runs).toHaveLength(1);
  });

  it("stop at once if they only wait for their next run", async () => {
    const { stop, runs } = start({ name: "rare", every_ms: 3_600_000, run: idle });
    await until("its run", () => runs.length === 1);
    const began = performance.now();
    await stop();
    expect(performance.now() - began).toBeLessThan(30_000);
  });

  it("do not keep a process alive", () => {
    const file = pathToFileURL(join(import.meta.dirname, "../../src/server/chores/chores.ts"));
    const script = `
      import { startChores } from ${JSON.stringify(file.href)};
      const log = { debug() {}, info() {}, error() {} };
      const run = async () => ({ counts: {} });
      startChores([{ name: "rare", every_ms: 3_600_000, run }], { log, observe() {} });
    `;
    const { status, error } = spawnSync(
      process.execPath,
      ["--input-type=module", "--eval", script],
      { timeout: PATIENCE_MS },
    );
    expect({ status, error }).toEqual({ status: 0, error: undefined });
  });
});
