import type { AgentStarter } from "../../agent/agent-connection.ts";
import { BelayError, refuse } from "../../contract/errors.ts";
import type { SessionHead } from "../../contract/head.ts";
import { needsIsolation, refuseAgents } from "../../core/people.ts";
import { findPerson } from "../../service/read/find-person.ts";
import type { AgentProfile } from "../agents/agent-profile.ts";
import { findMember } from "../agents/find-member.ts";
import { type MemberAgents, notIsolated } from "../agents/member-agents.ts";
import type { LiveText } from "../live/live-text.ts";
import type { DriveContext } from "../recovery/drive-context.ts";
import type { NodeRouting } from "./node-routing.ts";

/** The dependencies for running agents, besides those of the service. */
export interface RunContext extends DriveContext {
  readonly starter: AgentStarter;
  findAgent(name: string, cwd: string): Promise<AgentProfile>;
  /** Null if members start no agents here. */
  readonly members: MemberAgents | null;
  /** The folders with the folders of members, also of servers that ran before. */
  readonly memberFolders: readonly string[];
  readonly live: LiveText;
  readonly limits: RunLimits;
  readonly routing: NodeRouting;
  /** The name of this process, shown as the driver of a session. */
  readonly driver: string;
  /** Receives the last protocol frames of an agent whose turn failed. */
  writeTranscript?(session_id: string, lines: readonly string[]): void;
}

/** The agent of a session, ready to start. Throws if it cannot be run here. */
export function findAgentOf(run: RunContext, head: SessionHead): Promise<AgentProfile> {
  return findAgentFor(run, head.owner, head.agent_name, folderOf(head));
}

/**
 * An agent for the sessions of this owner, ready to start. Throws if it cannot be run here. The owner is checked before
 * the folder, because the error must not reveal which folders exist.
 */
export async function findAgentFor(
  run: RunContext,
  owner: string,
  name: string,
  cwd: string,
): Promise<AgentProfile> {
  const person = await findPerson(run.store, owner);
  const refused = refuseAgents(owner, person, run.members !== null);
  if (refused) throw new BelayError(refused);
  const { members, memberFolders } = run;
  if (members && needsIsolation(person)) {
    members.expectOwnFolder(owner, cwd);
    return members.isolate(await run.findAgent(name, cwd), owner, cwd);
  }
  // A member can plant settings and hooks in their folder, so it isolates the agents of everyone.
  const expectIsolated = (folder: string): string | null => {
    const place = findMember(memberFolders, folder);
    if (place && !members) throw notIsolated(place.owner, place.root, folder);
    return place?.owner ?? null;
  };
  const named = expectIsolated(cwd);
  const profile = await run.findAgent(name, cwd);
  // The agent's settings may name another folder to work in.
  const member = named ?? expectIsolated(profile.launchFor("", cwd).cwd);
  return member === null || !members ? profile : members.isolate(profile, member, cwd);
}

/** The working folder of the session's agent. */
export function folderOf({ project }: SessionHead): string {
  return project?.cwd ?? process.cwd();
}

/** Milliseconds, except for the counts. */
export interface RunLimits {
  /** An idle agent is ended after this time; idle agents are looked for at the same interval. */
  readonly idle: number;
  readonly reap_every: number;
  /** A tool call that outlives its turn keeps its agent running until it has been silent for this long. */
  readonly background: number;
  readonly max_agents: number;
  /** The interval at which sessions with an ended suspension are looked for. */
  readonly wake_every: number;
  /** The most text of an unfinished answer that a crash may lose. */
  readonly flush: { readonly ms: number; readonly chars: number };
  /** The time between asking an agent to stop and ending it. */
  readonly cancel: number;
}

export const RUN_LIMITS: RunLimits = {
  idle: 30 * 60_000,
  reap_every: 5 * 60_000,
  background: 2 * 3_600_000,
  max_agents: 5,
  wake_every: 60_000,
  flush: { ms: 1000, chars: 8192 },
  cancel: 10_000,
};

/** The two variables are known from the first session servers. */
export function readRunLimits(env: Readonly<Record<string, string | undefined>>): RunLimits {
  const minutes = readPositive(env, "AGENT_SESSION_IDLE_TIMEOUT", "a number of minutes");
  const most = readPositive(env, "AGENT_MAX_CONCURRENT_SESSIONS", "a number of agents");
  const idle = minutes === null ? RUN_LIMITS.idle : minutes * 60_000;
  return {
    ...RUN_LIMITS,
    idle,
    reap_every: Math.min(RUN_LIMITS.reap_every, Math.max(SHORTEST_REAP, idle / 4)),
    ...(most !== null && { max_agents: Math.max(1, Math.floor(most)) }),
  };
}

const SHORTEST_REAP = 500;

/** Null if the variable is not set. */
function readPositive(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  what: string,
): number | null {
  const value = env[name]?.trim() ?? "";
  if (value === "") return null;
  const number = Number(value);
  if (Number.isFinite(number) && number > 0) return number;
  const message = `${name} must be ${what} above 0, not "${value}".`;
  throw new BelayError(refuse("usage", message, { name, value }));
}
