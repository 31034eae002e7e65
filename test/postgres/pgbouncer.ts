import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** A PgBouncer in transaction mode before a server, with few connections, so that clients take turns on them. */
export class PgBouncer {
  readonly port: number;
  readonly #child: ChildProcess;

  private constructor(port: number, child: ChildProcess) {
    this.port = port;
    this.#child = child;
  }

  static async start(
    command: string,
    folder: string,
    ports: { readonly own: number; readonly server: number },
    user: { readonly uid?: number; readonly gid?: number },
  ): Promise<PgBouncer> {
    const file = join(folder, "pgbouncer.ini");
    writeFileSync(join(folder, "users"), '"belay" ""\n');
    writeFileSync(
      file,
      `[databases]
* = host=127.0.0.1 port=${ports.server}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ports.own}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, "users")}
pool_mode = transaction
max_prepared_statements = 200
default_pool_size = 6
max_client_conn = 1000
`,
    );
    const [program = "", ...args] = command.split(" ");
    const child = spawn(program, [...args, file], { ...user, cwd: "/", stdio: "ignore" });
    // It ends with this process.
    process.once("exit", () => child.kill("SIGKILL"));
    while (!(await isOpen(ports.own))) {
      if (child.exitCode !== null) throw new Error(`pgbouncer ended with ${child.exitCode}`);
      await pause(20);
    }
    return new PgBouncer(ports.own, child);
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const settle = (isThere: boolean) => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once("connect", () => settle(true)).once("error", () => settle(false));
  });
}
