import { join } from "node:path";
import { parseArgs } from "node:util";
import { BelayError, refuse } from "../../../contract/errors.ts";
import { visibleJson, visibleText } from "../../../contract/visible-text.ts";
import { readServerAddress } from "../../../server/server-files.ts";
import { homeFolder } from "../../../service/home-folder.ts";
import { editSettings } from "../../../settings-files/edit-settings.ts";
import { addHooks, hookCommand, hookUrl, removeHooks } from "./claude-settings.ts";
import type { HookDeps } from "./hook-deps.ts";

interface HooksCommandDeps {
  readonly cwd: string;
  /** The user's home folder, where Claude Code stores the settings for all projects. */
  readonly userHome: string;
  /** Absolute paths of the running Node and of the script that starts Belay. */
  readonly node: string;
  readonly entry: string;
  readonly json: boolean;
  /** The data folder with a running server's address, and the environment; by default those of this process. */
  readonly home?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  write(text: string): void;
}

const HOOKS_USAGE =
  "hooks install|uninstall claude-code [--print] [--project|--user] [--http [--url URL]]";

/**
 * `belay hooks install|uninstall claude-code`: shows the change of the settings and applies it, unless it is a dry run.
 */
export function runHooksCommand(args: readonly string[], deps: HooksCommandDeps): number {
  const { install, print, user, http, url } = readArguments(args);
  const { home = homeFolder(), env = process.env } = deps;
  const path = join(user ? deps.userHome : deps.cwd, ".claude", "settings.json");
  const command = hookCommand(deps.node, deps.entry);
  const server = http ? findServer(home, env, url) : null;
  const { differs, diff } = editSettings(path, print, (text) => {
    if (install) return addHooks(text, command, server && hookUrl(server));
    return text === null ? null : removeHooks(text, command);
  });
  report(deps, {
    path,
    changed: differs && !print,
    diff,
    summary: `${summarize(path, install, differs, print)}${server ? describeToken() : ""}`,
  });
  return 0;
}

function readArguments(args: readonly string[]) {
  const usage = new BelayError(refuse("usage", `Usage: belay ${HOOKS_USAGE}`));
  const { values, positionals } = parse(args, usage);
  const [verb, tool, extra] = positionals;
  const isVerb = verb === "install" || verb === "uninstall";
  if (!isVerb || tool !== "claude-code" || extra !== undefined) throw usage;
  if (values.project && values.user) throw usage;
  const { print = false, user = false, http = false, url = null } = values;
  const install = verb === "install";
  if ((http && !install) || (url !== null && !http)) throw usage;
  return { install, print, user, http, url };
}

function parse(args: readonly string[], usage: BelayError) {
  const flag = { type: "boolean" } as const;
  try {
    return parseArgs({
      args: [...args],
      options: { print: flag, project: flag, user: flag, http: flag, url: { type: "string" } },
      allowPositionals: true,
    });
  } catch {
    throw usage;
  }
}

function summarize(path: string, install: boolean, changed: boolean, print: boolean): string {
  if (!changed) {
    return install ? `Belay's hooks are already in ${path}.` : `Belay's hooks are not in ${path}.`;
  }
  if (print) return `Nothing was changed. This shows what would be in ${path}.`;
  return install
    ? `Restart Claude Code to record its sessions. Undo this with: belay hooks uninstall claude-code`
    : `Belay's hooks were removed from ${path}.`;
}

function describeToken(): string {
  return `
The token is not in that file: Claude Code reads it from BELAY_TOKEN. Create a token that can only record, and set it before
you start Claude Code:
  belay token create --name claude-code --scope record
  export BELAY_TOKEN=...
SessionStart remains a command, because Claude Code cannot call an address for it.`;
}

interface Report {
  readonly path: string;
  readonly changed: boolean;
  readonly diff: string;
  readonly summary: string;
}

function report(deps: HooksCommandDeps, { summary, ...rest }: Report): void {
  deps.write(deps.json ? `${visibleJson(rest)}\n` : visibleText(`${rest.diff}${summary}\n`));
}

/** The address of a server: the given one, or that of this data folder's running server. Throws if there is none. */
function findServer(home: string, env: HookDeps["env"], given: string | null): string {
  const said = given ?? (env.BELAY_URL || null);
  if (said !== null) return readAddress(said);
  const running = readServerAddress(home);
  if (running && isRunning(running.pid)) return readAddress(running.url);
  const message = `No server is running for ${home}. Start one with "belay serve", or name its address with --url or BELAY_URL.`;
  throw new BelayError(refuse("invalid_input", message, { home }));
}

/** Without parts that do not belong in settings that others may read. */
function readAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isWeb = url?.protocol === "http:" || url?.protocol === "https:";
  if (!url || !isWeb || url.username || url.password || url.search || url.hash) {
    const message = "Invalid address. Use one like http://127.0.0.1:4747, without a token.";
    throw new BelayError(refuse("invalid_input", message, { field: "url" }));
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
