import type { AgentStarter } from "../../agent/agent-connection.ts";
import { BelayError, refuse } from "../../contract/errors.ts";
import type { SessionHead } from "../../contract/head.ts";
import { refuseAgents } from "../../core/people.ts";
import { findPerson } from "../../service/read/find-person.ts";
import type { AgentProfile } from "../agents/agent-profile.ts";
import type { DriveContext } from "../recovery/drive-context.ts";
import type { LiveText } from "./live-text.ts";

/** What it takes to run agents, beside what the service is made of. */
export interface RunContext extends DriveContext {
  readonly starter: AgentStarter;
  findAgent(name: string, cwd: string): Promise<AgentProfile>;
  readonly live: LiveText;
  readonly limits: RunLimits;
  /** This process, as others are told who drives a session. */
  readonly driver: string;
  /** Told of the last frames of an agent whose turn failed. */
  keepTranscript?(session_id: string, lines: readonly string[]): void;
}

/** The agent of a session, ready to be started. Throws where it cannot be run here. */
export async function findAgentOf(run: RunContext, head: SessionHead): Promise<AgentProfile> {
  const refused = refuseAgents(head.owner, await findPerson(run.store, head.owner));
  if (refused) throw new BelayError(refused);
  return run.findAgent(head.agent_name, folderOf(head));
}

/** The folder that the session's agent works in. */
export function folderOf({ project }: SessionHead): string {
  return project?.cwd ?? process.cwd();
}

/** Milliseconds, but for the counts. */
export interface RunLimits {
  /** An agent without anything to do is ended after so long, and looked for so often. */
  readonly idle: number;
  readonly reap_every: number;
  /** A tool call that outlives its turn keeps its agent from being ended until it has been silent for so long. */
  readonly background: number;
  readonly max_agents: number;
  /** How often sessions are looked for that were suspended until now. */
  readonly wake_every: number;
  /** What an unfinished answer may lose in a crash. */
  readonly flush: { readonly ms: number; readonly chars: number };
  /** From asking an agent to stop until it is ended. */
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

/** Its two variables are those that users of the first session servers know. */
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

/** Null where the variable is not set. */
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
