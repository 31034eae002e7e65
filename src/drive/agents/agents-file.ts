import type { Stats } from "node:fs";
import { statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { BelayError, refuse } from "../../contract/errors.ts";
import { readMemberMark } from "../../files/member-mark.ts";
import type { AgentSettings } from "./agent-settings.ts";
import { readAgentSettings } from "./agent-settings.ts";
import { describePrograms } from "./describe-programs.ts";
import { findMember } from "./find-member.ts";
import type { ReadFile } from "./read-file-once.ts";
import { readFileOnce } from "./read-file-once.ts";
import { isTrusted } from "./trusted-files.ts";

/** A file that lists agents, as it was when it was read. */
export interface AgentsFile {
  readonly source: "user" | "workspace";
  readonly path: string;
  readonly trusted: boolean;
  readonly agents: ReadonlyMap<string, AgentSettings | BelayError>;
  /** The reason why nothing in the file can be used. */
  readonly error: BelayError | null;
  readonly read: ReadFile | null;
  /** The contents of the workspace files that its command lines name. */
  readonly programs: readonly string[];
}

export function userFilePath(home: string): string {
  return join(home, "agents.json");
}

/** The user's own file, which is always trusted. */
export function readUserFile(home: string): AgentsFile | null {
  return readAgents("user", userFilePath(home), () => true);
}

/**
 * The agents file of the workspace that a folder belongs to. It has no effect until the user trusts it. Files in the
 * folder of a member are not read: they could be links to files that the member cannot read.
 */
export function readWorkspaceFile(home: string, cwd: string, userHome: string): AgentsFile | null {
  const path = findWorkspaceFile(findMember(readMemberMark(home), cwd)?.root ?? cwd, userHome);
  if (path === null || isSameFile(path, userFilePath(home))) return null;
  return readAgents("workspace", path, (read, programs) => isTrusted(home, read, programs));
}

function readAgents(
  source: AgentsFile["source"],
  path: string,
  trusts: (read: ReadFile, programs: readonly string[]) => boolean,
): AgentsFile | null {
  const trusted = source === "user";
  const nothing = { source, path, trusted, agents: new Map(), read: null, programs: [] };
  try {
    const read = readFileOnce(path);
    if (read === null) return null;
    const parsed = parseAgents(source, path, read);
    const usable = [...parsed.agents.values()].flatMap((agent) =>
      agent instanceof BelayError ? [] : [agent],
    );
    const programs = source === "user" ? [] : describePrograms(dirname(dirname(read.path)), usable);
    return { ...nothing, read, programs, trusted: trusts(read, programs), ...parsed };
  } catch (error) {
    if (error instanceof BelayError) return { ...nothing, error };
    throw error;
  }
}

function parseAgents(
  source: AgentsFile["source"],
  path: string,
  read: ReadFile,
): Pick<AgentsFile, "agents" | "error"> {
  // Trust applies to the file that a link points to, so relative paths are resolved from there.
  const base = source === "user" ? null : dirname(dirname(read.path));
  try {
    const agents = [...readAgentSettings(path, read.bytes.toString("utf8"))].map(
      ([name, settings]) => [name, placePaths(path, name, settings, base)] as const,
    );
    return { agents: new Map(agents), error: null };
  } catch (error) {
    if (error instanceof BelayError) return { agents: new Map(), error };
    throw error;
  }
}

/** Looks in the folder and its parents, but neither above its repository nor above the user's home. */
function findWorkspaceFile(cwd: string, userHome: string): string | null {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const path = join(folder, ".belay", "agents.json");
    if (exists(path)) return path;
    const isTop = exists(join(folder, ".git")) || isSameFile(folder, userHome);
    if (isTop || folder === dirname(folder)) return null;
  }
}

function placePaths(
  file: string,
  agent: string,
  settings: AgentSettings | BelayError,
  base: string | null,
): AgentSettings | BelayError {
  if (settings instanceof BelayError) return settings;
  const isRelative = (path: string | undefined): path is string =>
    path !== undefined && !isAbsolute(path);
  const isRelativeCommand = (command: string | undefined): command is string =>
    isRelative(command) && command.includes("/");
  const { command, cwd, mcp_servers } = settings;
  if (base === null) {
    const wrong = isRelativeCommand(command) ? "command" : isRelative(cwd) ? "cwd" : null;
    if (wrong === null) return settings;
    const message =
      wrong === "cwd"
        ? `${file}: agent "${agent}": cwd: must be an absolute path.`
        : `${file}: agent "${agent}": command: must be a name on PATH or an absolute path.`;
    return new BelayError(refuse("invalid_input", message, { file, agent, field: wrong }));
  }
  return {
    ...settings,
    ...(isRelativeCommand(command) && { command: resolve(base, command) }),
    ...(isRelative(cwd) && { cwd: resolve(base, cwd) }),
    ...(mcp_servers && {
      mcp_servers: mcp_servers.map((server) =>
        "command" in server && isRelativeCommand(server.command)
          ? { ...server, command: resolve(base, server.command) }
          : server,
      ),
    }),
  };
}

function exists(path: string): boolean {
  return statOf(path) !== undefined;
}

function isSameFile(one: string, other: string): boolean {
  const [a, b] = [statOf(one), statOf(other)];
  return a !== undefined && b !== undefined && a.ino === b.ino && a.dev === b.dev;
}

/** A file that cannot be examined counts as missing. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
