import { join } from "node:path";
import { parseArgs } from "node:util";
import { BelayError, refuse } from "../../contract/errors.ts";
import { visibleJson, visibleText } from "../../contract/visible-text.ts";
import { editSettings } from "../../settings-files/edit-settings.ts";
import { addServer, removeServer } from "./client-settings.ts";

interface McpCommandDeps {
  readonly cwd: string;
  /** The user's home folder, where clients store the settings for all projects. */
  readonly userHome: string;
  /** Absolute paths of the running Node and of the script that starts Belay. */
  readonly node: string;
  readonly entry: string;
  readonly json: boolean;
  write(text: string): void;
  /** Serves one client on stdin and stdout, until it disconnects. */
  serve(): Promise<void>;
}

/** The settings files of each client: of a project, and of a user. */
const CLIENTS = {
  "claude-code": { title: "Claude Code", project: [".mcp.json"], user: [".claude.json"] },
  gemini: {
    title: "Gemini CLI",
    project: [".gemini", "settings.json"],
    user: [".gemini", "settings.json"],
  },
  cursor: { title: "Cursor", project: [".cursor", "mcp.json"], user: [".cursor", "mcp.json"] },
} as const satisfies Record<
  string,
  { title: string; project: readonly string[]; user: readonly string[] }
>;
type Client = keyof typeof CLIENTS;

const MCP_USAGE = `mcp [install|uninstall ${Object.keys(CLIENTS).join("|")} [--print] [--user]]`;

/**
 * `belay mcp` serves; `belay mcp install|uninstall CLIENT` shows the change of its settings and applies it, unless it
 * is a dry run.
 */
export async function runMcpCommand(
  args: readonly string[],
  deps: McpCommandDeps,
): Promise<number> {
  if (args.length === 0) {
    await deps.serve();
    return 0;
  }
  const wish = readArguments(args);
  const { title, ...places } = CLIENTS[wish.client];
  const path = wish.user ? join(deps.userHome, ...places.user) : join(deps.cwd, ...places.project);
  const entry = { command: deps.node, args: [deps.entry, "mcp"] };
  const { differs, diff } = editSettings(path, wish.print, (text) => {
    if (wish.install) return addServer(text, entry);
    return text === null ? null : removeServer(text, entry);
  });
  const changed = differs && !wish.print;
  deps.write(
    deps.json
      ? `${visibleJson({ path, changed, diff })}\n`
      : visibleText(`${diff}${summarize(title, path, wish, differs)}\n`),
  );
  return 0;
}

interface Wish {
  readonly install: boolean;
  readonly client: Client;
  readonly print: boolean;
  readonly user: boolean;
}

function summarize(title: string, path: string, wish: Wish, differs: boolean): string {
  const { install, print } = wish;
  if (!differs) {
    return install ? `Belay is already in ${path}.` : `Belay is not in ${path}.`;
  }
  if (print) return `Nothing was changed. This shows what would change in ${path}.`;
  if (!install) return `Belay was removed from ${path}.`;
  const undo = `belay mcp uninstall ${wish.client}${wish.user ? " --user" : ""}`;
  return `Restart ${title} to use Belay's tools. Undo this with: ${undo}`;
}

function readArguments(args: readonly string[]): Wish {
  const usage = new BelayError(refuse("usage", `Usage: belay ${MCP_USAGE}`));
  const { values, positionals } = parse(args, usage);
  const [verb, client, extra] = positionals;
  const isVerb = verb === "install" || verb === "uninstall";
  if (!isVerb || !isClient(client) || extra !== undefined) throw usage;
  const { print = false, user = false } = values;
  return { install: verb === "install", client, print, user };
}

function isClient(name: string | undefined): name is Client {
  return name !== undefined && Object.hasOwn(CLIENTS, name);
}

function parse(args: readonly string[], usage: BelayError) {
  const flag = { type: "boolean" } as const;
  try {
    return parseArgs({
      args: [...args],
      options: { print: flag, user: flag },
      allowPositionals: true,
    });
  } catch {
    throw usage;
  }
}
