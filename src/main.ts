import { existsSync } from "node:fs";
import { join } from "node:path";
import { BelayError, refuse } from "./contract/errors.ts";
import { defaultOwner, homeFolder } from "./service/home-folder.ts";
import { newId } from "./service/new-id.ts";
import { isAlive } from "./service/process-identity.ts";

/**
 * The command line's composition root. Everything but the names above is loaded by the command that needs it: a hook
 * runs on every delegation of an agent, and must not pay for the rest.
 */
const args = process.argv.slice(2);
process.exitCode = args[0] === "hook" ? await hook(args.slice(1)) : await commandLine(args);

async function hook(rest: string[]): Promise<number> {
  const { runHookCommand } = await import("./interfaces/hooks/run-hook-command.ts");
  const code = await runHookCommand(rest, {
    home: homeFolder(),
    owner: defaultOwner(),
    now: Date.now,
    newId,
    cwd: workingFolder(),
    env: process.env,
    async openStore({ home, busyMs, readOnly }) {
      if (readOnly && !existsSync(join(home, "belay.db"))) {
        throw new BelayError(refuse("storage_missing", `there is no Belay data in ${home}`));
      }
      const { openSqliteStore } = await import("./store/sqlite/open-sqlite-store.ts");
      return openSqliteStore({ folder: home, isAlive, busyMs, readOnly });
    },
  });
  // At once: work that has passed its deadline may still be under way.
  process.exit(code);
}

/** A folder that was removed has no name, and an agent may still run in it. */
function workingFolder(): string {
  try {
    return process.cwd();
  } catch {
    return "/nonexistent";
  }
}

async function commandLine(typed: string[]): Promise<number> {
  const { runCli } = await import("./interfaces/cli/run-cli.ts");
  const { createProgram } = await import("./compose-program.ts");
  const json = typed.includes("--json");
  return runCli(
    typed.filter((arg) => arg !== "--json"),
    createProgram(homeFolder(), json),
  );
}
