import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "redis";

/** A real Redis server on loopback, from Debian's package. */
export class RedisServer {
  readonly url: string;
  readonly #port: number;
  readonly #folder = mkdtempSync(join(tmpdir(), "belay-redis-"));
  #child: ChildProcess | null = null;

  private constructor(port: number) {
    this.#port = port;
    this.url = `redis://127.0.0.1:${port}`;
  }

  static async start(): Promise<RedisServer> {
    if (spawnSync("redis-server", ["--version"]).status !== 0) {
      throw new Error("redis-server is not installed. Run: apt-get install redis-server");
    }
    for (let attempt = 1; ; attempt += 1) {
      const server = new RedisServer(await freePort());
      try {
        await server.start();
        return server;
      } catch (error) {
        server.remove();
        // Somebody else was faster with the port.
        if (attempt === 5) throw error;
      }
    }
  }

  /** Starts it again, after it was killed. */
  async start(): Promise<void> {
    const settings = ["--port", `${this.#port}`, "--bind", "127.0.0.1", "--save", ""];
    const child = spawn("redis-server", [...settings, "--dir", this.#folder], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    this.#child = child;
    endWithUs(child.pid ?? 0);
    let said = "";
    for await (const text of child.stdout ?? []) {
      said += text;
      if (said.includes("Ready to accept connections")) {
        child.stdout?.on("data", () => {});
        return;
      }
    }
    throw new Error(`redis-server did not start: ${said}`);
  }

  signal(name: "SIGSTOP" | "SIGCONT"): void {
    this.#child?.kill(name);
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }

  /** A client of the test's own. */
  async connect() {
    const client = createClient({ url: this.url });
    client.on("error", () => {});
    await client.connect();
    return client;
  }

  remove(): void {
    this.#child?.kill("SIGKILL");
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Waits for the end of this process, and then ends the server. */
function endWithUs(pid: number): void {
  const script = `while [ -d /proc/${process.pid} ]; do [ -d /proc/${pid} ] || exit; sleep 1; done; kill -9 ${pid}`;
  spawn("sh", ["-c", script], { detached: true, stdio: "ignore" }).unref();
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  if (address && typeof address === "object") return address.port;
  throw new Error("no port is free");
}
