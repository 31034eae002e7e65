import { defaultOwner, homeFolder } from "./service/home-folder.ts";
import { newId } from "./service/new-id.ts";

/**
 * The command line's composition root. Everything but the names above is loaded by the command that needs it: a hook
 * runs on every delegation of an agent, and must not pay for the rest.
 */
const args = process.argv.slice(2);
process.exitCode = args[0] === "hook" ? await hook(args.slice(1)) : await commandLine(args);

async function hook(rest: string[]): Promise<number> {
  const { runHookCommand } = await import("./interfaces/hooks/run-hook-command.ts");
  return runHookCommand(rest, {
    home: homeFolder(),
    owner: defaultOwner(),
    now: Date.now,
    newId,
    cwd: process.cwd(),
    env: process.env,
    async openStore({ busyMs }) {
      const { openSqliteStore } = await import("./store/sqlite/open-sqlite-store.ts");
      const { isAlive } = await import("./service/process-identity.ts");
      return openSqliteStore({ folder: homeFolder(), isAlive, busyMs });
    },
  });
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
