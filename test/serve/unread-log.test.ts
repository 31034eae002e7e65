import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, expect, it } from "vitest";
import { until } from "../run/run-lab.ts";
import type { ServerPlace } from "./server-process.ts";
import { endAll, environmentOf, newPlace, serve } from "./server-process.ts";

const places: ServerPlace[] = [];
const place = (): ServerPlace => {
  const made = newPlace();
  places.push(made);
  return made;
};
afterEach(endAll);
afterAll(() => {
  for (const each of places) each.remove();
});

it("exits on SIGTERM although the reader of its log is gone", async () => {
  const server = await serve(place(), { args: ["--log", "debug"] });
  server.program.signal("SIGTERM");
  server.program.child.stdout?.destroy();
  server.program.child.stderr?.destroy();
  expect(await within(10_000, once(server.program.child, "exit"))).toEqual([0, null]);
});

it("control: a program that repeats a failed write of its log does not exit", async () => {
  const program = `
    const { writeSync } = require("node:fs");
    const nap = new Int32Array(new SharedArrayBuffer(4));
    process.on("SIGTERM", () => {
      for (;;) try { writeSync(2, "a line of the log\\n"); process.exit(0); } catch { Atomics.wait(nap, 0, 0, 100); }
    });
    setInterval(() => {}, 1000);
    console.log("ready");
  `;
  const child = spawn(process.execPath, ["-e", program], { stdio: ["ignore", "pipe", "pipe"] });
  await once(child.stdout, "data");
  child.stdout.destroy();
  child.stderr.destroy();
  child.kill("SIGTERM");
  expect(await within(1500, once(child, "exit"))).toBe("nothing");
  child.kill("SIGKILL");
  await once(child, "exit");
});

it("continues to serve with a reader that stalls and then exits", async () => {
  const server = await serve(place(), { args: ["--log", "debug"] });
  const dropped = async () => {
    const { text } = await server.ask("GET", "/metrics");
    return Number(/^belay_log_lines_dropped_total (\d+)$/m.exec(text)?.[1] ?? Number.NaN);
  };
  expect(await dropped()).toBe(0);
  server.program.child.stderr?.pause();
  await until("dropped lines", async () => {
    await Promise.all(Array.from({ length: 100 }, () => server.ask("GET", "/nowhere")));
    return (await dropped()) > 0;
  });
  server.program.child.stderr?.destroy();
  const before = await dropped();
  await server.ask("GET", "/nowhere");
  await until("more dropped lines", async () => (await dropped()) > before);
  server.program.signal("SIGTERM");
  server.program.child.stdout?.destroy();
  expect(await within(10_000, once(server.program.child, "exit"))).toEqual([0, null]);
});

it("exits when its terminal is closed", async () => {
  const at = place();
  const command = `${process.execPath} ${process.cwd()}/bin/belay.mjs serve --port 0 --log debug`;
  const script = spawn("script", ["-qfc", command, "/dev/null"], {
    cwd: join(at.root, "work"),
    env: environmentOf(at),
    stdio: "ignore",
  });
  const file = join(at.home, "server.json");
  await until("the server", async () => existsSync(file));
  const { pid } = JSON.parse(readFileSync(file, "utf8"));
  script.kill("SIGKILL");
  await until("its end", async () => !isRunning(pid));
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function within<T>(ms: number, promise: Promise<T>): Promise<T | "nothing"> {
  const timer = Promise.withResolvers<"nothing">();
  const timeout = setTimeout(() => timer.resolve("nothing"), ms);
  return Promise.race([promise, timer.promise]).finally(() => clearTimeout(timeout));
}
