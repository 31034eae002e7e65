import { readFileSync } from "node:fs";
import { request } from "node:http";
import { newPlace, type RealServer, serve } from "../../serve/server-process.ts";
import { costlyRequests } from "./costly-requests.ts";

/**
 * `npm run test:limits`: sends each costly request to a real server, as a client with a read-only token or none, while
 * another client asks for /health all the time. Tells by how much memory grew and how long the other had to wait, beside
 * what it waits while nothing else is asked. Fails beyond 64 MB or 200 ms.
 */
const MOST = { memory_mb: 64, stall_ms: 200 } as const;

const place = newPlace();
const server = await serve(place, { args: ["--log", "error"] });
let failures = 0;
try {
  const requests = await costlyRequests(server);
  const idle = await measure(server, () => new Promise((resolve) => setTimeout(resolve, 1000)));
  process.stdout.write(`idle: the other waits ${idle.stall.toFixed(1)} ms at most\n`);
  // The first of each kind also pays for what is loaded and compiled once.
  for (const { name, send } of requests) await warm(name, send);
  for (const { name, send } of requests) {
    const { growth, stall, status } = await measure(server, send);
    const tooMuch = growth > MOST.memory_mb || stall - idle.stall > MOST.stall_ms;
    if (tooMuch) failures += 1;
    const ratio = (stall / idle.stall).toFixed(1);
    const line = `${name}: ${status}, +${growth.toFixed(0)} MB, others wait ${stall.toFixed(0)} ms (${ratio} x idle)`;
    process.stdout.write(`${tooMuch ? "TOO MUCH  " : "ok        "}${line}\n`);
  }
} finally {
  await server.end();
  place.remove();
}
process.exit(failures === 0 ? 0 : 1);

async function warm(name: string, send: () => Promise<unknown>): Promise<void> {
  try {
    await send();
  } catch (error) {
    process.stdout.write(`${name}: ${String(error)}\n`);
  }
}

async function measure(of: RealServer, send: () => Promise<unknown>) {
  const before = residentMb(of.pid);
  const peak = { mb: before, stall: 0 };
  let isOver = false;
  const other = (async () => {
    while (!isOver) {
      const started = performance.now();
      await health(of.url);
      peak.stall = Math.max(peak.stall, performance.now() - started);
      peak.mb = Math.max(peak.mb, residentMb(of.pid));
    }
  })();
  const status = await send().catch((error: unknown) => String(error));
  isOver = true;
  await other;
  return { growth: peak.mb - before, stall: peak.stall, status: String(status ?? "") };
}

function residentMb(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) / 1024;
}

function health(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    request(`${url}/health`, (response) => {
      response.resume().once("end", resolve);
    })
      .once("error", reject)
      .end();
  });
}
