import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { openBelay } from "../../src/index.ts";
import type { Lab } from "../lab.ts";
import { median, record } from "../measurements.ts";

const agent = join(import.meta.dirname, "..", "clock-agent.ts");
const APART_MS = 3;

/** P10: how long a piece of an answer takes from the agent to a listener, against a program that reads the pipe. */
export async function measureChunk(lab: Lab): Promise<void> {
  const [limit, own] = lab.contenders;
  const home = mkdtempSync(join(tmpdir(), "belay-bench-"));
  const clock = { command: process.execPath, args: [agent] };
  writeFileSync(join(home, "agents.json"), JSON.stringify({ agents: { clock } }));
  const prompt = `${lab.scale.pieces.one} x ${APART_MS}`;
  try {
    for (let round = 0; round < lab.scale.claimRounds; round++) {
      record(lab.measurements, limit?.name ?? "", "chunk_ms", median(await readPipe(prompt)));
      record(lab.measurements, own?.name ?? "", "chunk_ms", median(await listen(home, prompt)));
    }
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function readPipe(prompt: string): Promise<number[]> {
  const child = spawn(process.execPath, [agent], { stdio: ["pipe", "pipe", "inherit"] });
  const params = { prompt: [{ type: "text", text: prompt }] };
  child.stdin.write(`${JSON.stringify({ id: 1, method: "session/prompt", params })}\n`);
  const ages: number[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const { id, params: told } = JSON.parse(line);
    if (id !== undefined) break;
    ages.push(ageOf(told.update.content.text));
  }
  child.stdin.end();
  return ages;
}

async function listen(home: string, message: string): Promise<number[]> {
  const belay = await openBelay({ home });
  const ages: number[] = [];
  try {
    for await (const event of belay.run({ agent: "clock", cwd: home, message })) {
      if (event.type === "message") ages.push(ageOf(event.text));
      if (event.type === "error") throw new Error(event.message);
    }
  } finally {
    await belay.close();
  }
  return ages;
}

function ageOf(text: string): number {
  return Number(process.hrtime.bigint() - BigInt(text.trim())) / 1e6;
}
