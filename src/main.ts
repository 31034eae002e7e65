import { existsSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { join, resolve } from "node:path";
import { BelayError, refuse } from "./contract/errors.ts";
import type { Program, Terminal } from "./interfaces/cli/program.ts";
import { runCli } from "./interfaces/cli/run-cli.ts";
import { createService } from "./service/belay-service.ts";
import { createMaintenance } from "./service/maintenance.ts";
import { newId } from "./service/new-id.ts";
import { isAlive } from "./service/process-identity.ts";

/** The command line: the only file beside index.ts that names concrete adapters. */
const args = process.argv.slice(2);
const json = args.includes("--json");
const program = programAt(homeFolder());
process.exitCode = await runCli(
  args.filter((arg) => arg !== "--json"),
  program,
);

function programAt(home: string): Program {
  return {
    home,
    caller: {
      owner: process.env.BELAY_OWNER || "local",
      actor: `user:${userName()}`,
      interface: "cli",
      trace_id: process.env.BELAY_TRACE_ID || newId(),
    },
    terminal: terminalOf(process.stdout),
    at: programAt,
    async open({ create } = { create: true }) {
      if (!create && !existsSync(join(home, "belay.db"))) throw new BelayError(nothingIn(home));
      const { openSqliteStore } = await import("./store/sqlite/open-sqlite-store.ts");
      const store = await openSqliteStore({ folder: home, isAlive });
      return {
        service: createService({ store, now: Date.now, newId }),
        maintenance: createMaintenance(store),
        close: () => store.close(),
      };
    },
  };
}

function nothingIn(home: string) {
  return refuse(
    "storage_missing",
    `there is no Belay data in ${home}: set BELAY_HOME, or create a session first`,
    {
      home,
    },
  );
}

function homeFolder(): string {
  return resolve(process.env.BELAY_HOME || join(homedir(), ".belay"));
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? "unknown");
  }
}

function terminalOf(stdout: NodeJS.WriteStream): Terminal {
  return {
    json,
    interactive: stdout.isTTY && !json,
    columns: stdout.isTTY ? stdout.columns : 120,
    write: (text) => void stdout.write(text),
    note: (text) => void process.stderr.write(`${text}\n`),
  };
}
