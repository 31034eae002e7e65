import { readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { newPlace, type RealServer, serve } from "../../serve/server-process.ts";
import { type CostlyRequest, costlyRequests } from "./costly-requests.ts";
import { measureLargeData } from "./large-data.ts";

/**
 * `npm run test:limits [-- TEXT]`: sends each costly request, or those with TEXT in their name, to a real server, as a
 * client with a read-only token or none, while another client asks for /health all the time. Reports how much memory the server took, and how long it computed while
 * the other client waited, beside the same on an idle server. Fails beyond 64 MB or 200 ms.
 * Then it measures servers with large data folders.
 *
 * The wait is measured in CPU time of the thread that answers: other programs on this computer do not change it.
 */
const MOST = { memory_mb: 64, stall_ms: 200 } as const;
/** A request is only too expensive if it is so each time, because memory and garbage vary. */
const ATTEMPTS = 3;

const [, , only = ""] = process.argv;
const place = newPlace();
let failures = 0;
try {
  const requests = await withServer(costlyRequests);
  const idle = await withServer((server) => measure(server, () => sleep(1000)));
  process.stdout.write(`idle: the other waits for ${idle.stall.toFixed(1)} ms of CPU at most\n`);
  for (const costly of requests.filter(({ name }) => name.includes(only))) {
    const { growth, stall, wall, status } = await measureBest(costly, idle.stall);
    const tooMuch = isTooMuch(growth, stall - idle.stall);
    if (tooMuch) failures += 1;
    const ratio = (stall / idle.stall).toFixed(0);
    const line = `${costly.name.slice(0, 100)}: ${status}, +${growth.toFixed(0)} MB, ${stall.toFixed(0)} ms (${ratio} x idle; ${wall.toFixed(0)} ms by the clock)`;
    process.stdout.write(`${tooMuch ? "TOO MUCH  " : "ok        "}${line}\n`);
  }
} finally {
  place.remove();
}
for (const { line, isOk } of await measureLargeData((pid) => residentMb(pid, "VmRSS"))) {
  if (!isOk) failures += 1;
  process.stdout.write(`${isOk ? "ok        " : "TOO MUCH  "}${line}\n`);
}
process.exit(failures === 0 ? 0 : 1);

/** A new server each time, because memory left by earlier requests would hide the growth. */
async function withServer<T>(work: (server: RealServer) => Promise<T>): Promise<T> {
  const server = await serve(place, { args: ["--log", "error"] });
  try {
    return await work(server);
  } finally {
    await server.end();
  }
}

async function measureBest({ send, warm }: CostlyRequest, idle: number) {
  const once = () =>
    withServer(async (server) => {
      // One-time loading and compilation do not count for the request.
      for (let n = 0; n < 3; n += 1) await warm(server.url);
      return measure(server, () => send(server.url));
    });
  let best = await once();
  for (let n = 1; n < ATTEMPTS && isTooMuch(best.growth, best.stall - idle); n += 1) {
    const next = await once();
    best = {
      ...next,
      growth: Math.min(next.growth, best.growth),
      stall: Math.min(next.stall, best.stall),
    };
  }
  return best;
}

function isTooMuch(growth: number, stall: number): boolean {
  return growth > MOST.memory_mb || stall > MOST.stall_ms;
}

async function measure(of: RealServer, send: () => Promise<unknown>) {
  const before = residentMb(of.pid, "VmRSS");
  // Resets VmHWM.
  writeFileSync(`/proc/${of.pid}/clear_refs`, "5");
  const worst = { stall: 0, wall: 0 };
  let isOver = false;
  const other = (async () => {
    while (!isOver) {
      const [started, computed] = [performance.now(), computedMs(of.pid)];
      await health(of.url);
      worst.stall = Math.max(worst.stall, computedMs(of.pid) - computed);
      worst.wall = Math.max(worst.wall, performance.now() - started);
    }
  })();
  const status = await send();
  isOver = true;
  await other;
  const growth = residentMb(of.pid, "VmHWM") - before;
  return { growth, ...worst, status: String(status ?? "") };
}

/** The CPU time of the process's first thread, which answers requests. */
function computedMs(pid: number): number {
  const [nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ");
  return Number(nanoseconds) / 1e6;
}

function residentMb(pid: number, line: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kilobytes = new RegExp(`${line}:\\s+(\\d+)`).exec(status)?.[1];
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
