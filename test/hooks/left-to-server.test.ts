import { mkdirSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { watchSpool } from "../../src/integrations/claude/watch-spool.ts";
import { identifyProcess } from "../../src/process/process-identity.ts";
import { serverAddressFile } from "../../src/server/server-address-file.ts";
import { PATIENCE_MS } from "../patience.ts";
import { createLab, type HookLab } from "./hook-lab.ts";

const SESSION = "402e7a18-1d9b-4983-815e-734ca53fd8fa";
/** More sightings than a hook leaves waiting. */
const MANY = 20;

let lab: HookLab;
beforeEach(() => {
  lab = createLab();
  mkdirSync(lab.home, { mode: 0o700 });
});
afterEach(() => lab.clean());

describe("a hook beside a running server", () => {
  it("leaves its event in the spool, and wakes the server", async () => {
    serve(identifyProcess(process.pid));
    const woken = vi.fn();
    const stop = watchSpool(lab.home, woken);
    await prompt(1);
    expect(lab.spooled()).toHaveLength(1);
    expect(await lab.log(SESSION)).toEqual([]);
    await vi.waitFor(() => expect(woken).toHaveBeenCalled(), PATIENCE_MS);
    stop();
  });

  it.each([
    ["has ended", { start_time: 1 }],
    ["runs on another machine since its last start", { boot_id: "another" }],
    ["is of an old version, without a start time", { start_time: null }],
  ])("records it itself if that server %s", async (_, other) => {
    serve({ ...identifyProcess(process.pid), ...other });
    await prompt(1);
    expect(lab.spooled()).toEqual([]);
    expect(await turns()).toEqual(["prompt 1"]);
  });

  it("records everything in order if the server does not read the spool", async () => {
    serve(identifyProcess(process.pid));
    for (let nth = 1; nth <= MANY; nth += 1) await prompt(nth);
    const waiting = lab.spooled().length;
    expect(waiting).toBeLessThan(MANY);
    const recorded = await turns();
    expect(recorded).toEqual(prompts().slice(0, recorded.length));
    expect(recorded.length).toBe(MANY - waiting);
  });

  it("answers a request for notes at once, after it delivered earlier events", async () => {
    await prompt(1);
    serve(identifyProcess(process.pid));
    await prompt(2);
    await lab.hook("claude-code", { ...event("SessionStart"), source: "resume" });
    expect(lab.spooled()).toEqual([]);
    expect(await turns()).toEqual(["prompt 1", "prompt 2"]);
  });
});

function event(hook_event_name: string, fields: object = {}) {
  return { session_id: SESSION, cwd: "/home/dev/project", hook_event_name, ...fields };
}

function prompt(nth: number): Promise<string> {
  lab.wait(1000);
  const fields = { prompt_id: `p-${nth}`, prompt: `prompt ${nth}` };
  return lab.hook("claude-code", event("UserPromptSubmit", fields));
}

function prompts(): string[] {
  return Array.from({ length: MANY }, (_, n) => `prompt ${n + 1}`);
}

async function turns(): Promise<unknown[]> {
  const events = await lab.log(SESSION);
  return events.flatMap(({ type, data }) =>
    type === "turn.started" && typeof data === "object" && data && "content" in data
      ? [data.content]
      : [],
  );
}

function serve(address: object): void {
  writeFileSync(
    serverAddressFile(lab.home),
    JSON.stringify({ url: "http://127.0.0.1", ...address }),
  );
}
