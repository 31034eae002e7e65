import { existsSync, realpathSync, rmSync, statSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { BelayError, refuse } from "../../contract/errors.ts";
import { errorCode } from "../../files/file-refusal.ts";
import { isInside } from "../../files/is-inside.ts";
import { makeFolder } from "../../files/make-folder.ts";
import { findSandboxProblem, type Sandbox, SYSTEM_FOLDERS } from "../../process/isolate.ts";
import { isBelow } from "../../service/is-below.ts";
import type { AgentProfile } from "./agent-profile.ts";

/** Runs the agents of members in sandboxes, each person in a folder of their own. */
export interface MemberAgents {
  /** A person's own folder. It is created when the first agent is started in it. */
  folderOf(owner: string): string;
  /** Throws if this folder is not in the person's own folder. */
  expectOwnFolder(owner: string, cwd: string): void;
  /** The same agent in this person's sandbox. Throws if it cannot work there. */
  isolate(profile: AgentProfile, owner: string, cwd: string): AgentProfile;
  /** The folder, environment and sandbox for a command of this person. Throws if the folder is not in the person's own. */
  confine(owner: string, cwd: string, env: Environment): Confined;
}

type Environment = Readonly<Record<string, string>>;

interface Confined {
  readonly cwd: string;
  readonly env: Environment;
  readonly sandbox: Sandbox;
}

interface MemberSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Belay's own program, which contains the demo agent. */
  readonly programs: readonly string[];
  /** Paths that no agent of a member may see: the data folder, and the key file if there is one. */
  readonly hidden: readonly string[];
}

/** The refusal of an agent or a command in a member's folder, in a process that isolates nothing. */
export function notIsolated(owner: string, root: string, cwd: string): BelayError {
  const message = `${cwd} is in the folder of ${owner}, and programs run there only in isolation. Set ${FOLDERS}=${root} for this process, as for the server, or use another folder.`;
  return new BelayError(refuse("agent_not_trusted", message, { owner, folder: cwd }));
}

const FOLDERS = "BELAY_MEMBER_FOLDERS";
const READS = "BELAY_MEMBER_READS";

/** Null if members start no agents. Throws if they should, and cannot be isolated here. */
export function openMemberAgents({
  env,
  programs,
  hidden,
}: MemberSurroundings): MemberAgents | null {
  const named = env[FOLDERS]?.trim() ?? "";
  if (named === "") return null;
  const folder = expectFolder(FOLDERS, named);
  expectPrivate(folder);
  const given = (env[READS] ?? "").split(":").filter((path) => path.trim() !== "");
  const reads = [...programs, ...given.map((path) => expectFolder(READS, path))];
  const shown = [...reads, ...SYSTEM_FOLDERS];
  expectApart(folder, shown);
  for (const path of hidden) expectApart(path, [folder, ...shown]);
  const problem = probe(folder, reads, hidden);
  if (problem !== null) {
    throw wrongSetting(`Agents of members cannot be isolated here: ${problem}. Fix this, or unset`);
  }
  const folderOf = (owner: string): string => join(folder, owner);
  const expectOwnFolder = (owner: string, cwd: string): void => {
    const own = folderOf(owner);
    makeFolder(own);
    if (cwd !== own && !leadsInto(own, cwd)) throw outside(owner, own, cwd);
  };
  const confine = (owner: string, cwd: string, env: Environment): Confined => {
    const own = folderOf(owner);
    expectOwnFolder(owner, cwd);
    return {
      // A link outside of the person's folder does not exist in the sandbox, nor does another path of this folder.
      cwd:
        cwd === own || isBelow(own, cwd)
          ? cwd
          : join(own, relative(realpathSync(own), realpathSync(cwd))),
      env: ownEnvironment(env, own),
      sandbox: { folder: own, reads },
    };
  };
  return {
    folderOf,
    expectOwnFolder,
    confine,
    isolate(profile, owner, cwd) {
      const { command, cwd: at } = profile.launchFor("", cwd);
      expectOwnFolder(owner, at);
      if (!isVisible(command, reads)) throw hiddenProgram(profile.name, command);
      return {
        ...profile,
        sandbox_of: owner,
        launchFor(session_id, folder) {
          const launch = profile.launchFor(session_id, folder);
          return { ...launch, ...confine(owner, launch.cwd, launch.env) };
        },
      };
    },
  };
}

/** A path that the system cannot follow, such as a link to itself, leads nowhere. */
function leadsInto(own: string, path: string): boolean {
  try {
    return isInside(own, path) || (existsSync(path) && realpathSync(path) === own);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}

/** The sandbox has a home, a data folder and temporary files of its own. */
function ownEnvironment(env: Environment, own: string): Environment {
  const kept = Object.entries(env).filter(
    ([name]) => name === "BELAY_SESSION_ID" || !/^(?:BELAY_|XDG_|TMPDIR$)/.test(name),
  );
  return { ...Object.fromEntries(kept), HOME: own, BELAY_HOME: join(own, ".belay") };
}

function isVisible(program: string, reads: readonly string[]): boolean {
  const isShown = (path: string): boolean =>
    [...SYSTEM_FOLDERS, ...reads].some((one) => path === one || path.startsWith(`${one}/`));
  return isShown(program) && isShown(realpathSync(program));
}

function expectFolder(variable: string, path: string): string {
  const found = isAbsolute(path) ? statSync(path, { throwIfNoEntry: false }) : undefined;
  if (found?.isDirectory()) return realpathSync(path);
  const message = `${variable} must name folders that exist, with their full paths, not "${path}".`;
  throw new BelayError(refuse("usage", message, { path }));
}

/** Another user could put a link in place of a person's folder. */
function expectPrivate(folder: string): void {
  const { uid, mode } = statSync(folder);
  if (uid === process.getuid?.() && (mode & 0o022) === 0) return;
  const message = `Other users own ${folder} or can write to it. Correct its owner and mode (chmod go-w), or change`;
  throw wrongSetting(message);
}

function expectApart(path: string, shown: readonly string[]): void {
  const real = existsSync(path) ? realpathSync(path) : path;
  const other = shown.find((one) => one === real || isInside(one, real) || isInside(real, one));
  if (other === undefined) return;
  throw wrongSetting(
    `Agents of members would see ${path} through ${other}. Move one of them, or change`,
  );
}

/** A person's name starts with a letter or a digit, so no person has this folder. */
function probe(folder: string, reads: readonly string[], hidden: readonly string[]): string | null {
  const own = join(folder, ".probe");
  makeFolder(own);
  const problem = findSandboxProblem({ folder: own, reads }, hidden);
  rmSync(own, { recursive: true });
  return problem;
}

function wrongSetting(what: string): BelayError {
  return new BelayError(refuse("usage", `${what} ${FOLDERS} and ${READS}.`));
}

function outside(owner: string, own: string, cwd: string): BelayError {
  const message = `Agents of ${owner} work in ${own}, and this session's folder is ${cwd}. Create the session with a folder in ${own}.`;
  return new BelayError(refuse("agent_not_trusted", message, { owner, folder: own }));
}

function hiddenProgram(name: string, command: string): BelayError {
  const message = `Agents of members cannot see the program of ${name}, ${command}. An admin can add its folder to ${READS}.`;
  return new BelayError(refuse("agent_not_trusted", message, { agent: name, command }));
}
