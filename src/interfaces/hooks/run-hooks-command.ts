import { join } from "node:path";
import { parseArgs } from "node:util";
import { BelayError, refuse } from "../../contract/errors.ts";
import { addHooks, hookCommand, removeHooks } from "./claude-settings.ts";
import { NotJson } from "./jsonc.ts";
import { unifiedDiff } from "./line-diff.ts";
import { readSettings, replaceSettings } from "./settings-file.ts";

export interface HooksCommandDeps {
  readonly cwd: string;
  /** The person's own folder, where Claude Code keeps the settings of all projects. */
  readonly userHome: string;
  /** Absolute paths of the running Node and of the script that starts Belay. */
  readonly node: string;
  readonly entry: string;
  readonly json: boolean;
  write(text: string): void;
}

export const HOOKS_USAGE = "hooks install|uninstall claude-code [--print] [--project|--user]";

/** `belay hooks install|uninstall claude-code`: shows what changes in the settings and, unless only asked to, does it. */
export function runHooksCommand(args: readonly string[], deps: HooksCommandDeps): number {
  const { install, print, user } = readArguments(args);
  const path = join(user ? deps.userHome : deps.cwd, ".claude", "settings.json");
  const command = hookCommand(deps.node, deps.entry);
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const read = readSettings(path);
    const wanted = edit(path, read.text, install, command);
    const changed = wanted !== read.text;
    if (changed && !print && !replaceSettings(read, wanted)) continue;
    report(deps, {
      path,
      changed: changed && !print,
      diff: unifiedDiff(path, read.text ?? "", wanted ?? ""),
      summary: summarize(path, install, changed, print),
    });
    return 0;
  }
  throw new BelayError(refuse("store_busy", `${path} keeps changing; try again`, { path }));
}

const MOST_TRIES = 5;

function edit(path: string, text: string | null, install: boolean, command: string): string | null {
  try {
    if (install) return addHooks(text, command);
    return text === null ? null : removeHooks(text, command);
  } catch (error) {
    if (!(error instanceof NotJson)) throw error;
    const message = `${path} was left as it is: not valid settings (${error.message})`;
    throw new BelayError(refuse("invalid_input", message, { path }), error);
  }
}

function readArguments(args: readonly string[]) {
  const usage = new BelayError(refuse("usage", `use it like this: belay ${HOOKS_USAGE}`));
  const { values, positionals } = parse(args, usage);
  const [verb, tool, extra] = positionals;
  const isVerb = verb === "install" || verb === "uninstall";
  if (!isVerb || tool !== "claude-code" || extra !== undefined) throw usage;
  if (values.project && values.user) throw usage;
  return { install: verb === "install", print: values.print === true, user: values.user === true };
}

function parse(args: readonly string[], usage: BelayError) {
  const flag = { type: "boolean" } as const;
  try {
    return parseArgs({
      args: [...args],
      options: { print: flag, project: flag, user: flag },
      allowPositionals: true,
    });
  } catch {
    throw usage;
  }
}

function summarize(path: string, install: boolean, changed: boolean, print: boolean): string {
  if (!changed) {
    return install
      ? `Belay's hooks are in ${path} already.`
      : `None of Belay's hooks are in ${path}.`;
  }
  if (print) return `Nothing was changed: this is what would be in ${path}.`;
  return install
    ? `Belay listens to Claude Code from its next start on. Undo it with: belay hooks uninstall claude-code`
    : `Belay's hooks are gone from ${path}.`;
}

interface Report {
  readonly path: string;
  readonly changed: boolean;
  readonly diff: string;
  readonly summary: string;
}

function report(deps: HooksCommandDeps, { summary, ...rest }: Report): void {
  deps.write(deps.json ? `${JSON.stringify(rest)}\n` : `${rest.diff}${summary}\n`);
}
