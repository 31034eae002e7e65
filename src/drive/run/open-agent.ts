import type {
  AgentConnection,
  AgentLaunch,
  AgentListener,
  OpenedSession,
  OpenWay as OpenWayAsked,
} from "../../agent/agent-connection.ts";
import { AgentFailure } from "../../agent/agent-connection.ts";
import type { AgentHead } from "../../contract/head.ts";
import type { OpenWay } from "../../contract/vocabulary.ts";
import type { RunContext } from "./run-context.ts";

export interface OpenedAgent extends OpenedSession {
  readonly connection: AgentConnection;
  readonly way: OpenWay;
  /** The reasons why better ways failed. */
  readonly setbacks: readonly string[];
}

/**
 * Starts an agent and opens its session the best way that works: resumes its own if it was shut down cleanly, loads it
 * if it died, or else starts a new one with the past as a prompt. If one way fails, the next is tried.
 */
export async function openAgent(
  run: RunContext,
  launch: AgentLaunch,
  listener: AgentListener,
  before: AgentHead | null,
  hasPast: boolean,
  signal: AbortSignal,
): Promise<OpenedAgent> {
  const setbacks: string[] = [];
  let connection = await run.starter.start(launch, listener, signal);
  const giveUp = (): void => void connection.end();
  signal.addEventListener("abort", giveUp);
  try {
    const isElsewhere = run.routing.isElsewhere({ agent: before });
    if (isElsewhere) setbacks.push(ELSEWHERE);
    for (const rung of isElsewhere ? [] : rungs(before, connection)) {
      const { way } = rung;
      try {
        return { ...(await connection.open(rung)), connection, way, setbacks };
      } catch (error) {
        if (!(error instanceof AgentFailure) || signal.aborted) throw error;
        // Its lease has ended, so no other way can work.
        if (error.kind === "expired") throw error;
        setbacks.push(`${way} did not work: ${error.message}`);
        // An agent that hangs or has died cannot be asked again.
        if (error.kind === "timeout" || error.kind === "exited") {
          await connection.end();
          connection = await run.starter.start(launch, listener, signal);
        }
      }
    }
    const opened = await connection.open({ way: "new" });
    return { ...opened, connection, way: hasPast ? "replay" : "new", setbacks };
  } catch (error) {
    await connection.end();
    throw error;
  } finally {
    signal.removeEventListener("abort", giveUp);
  }
}

const ELSEWHERE =
  "The agent's own files of this session are on another node. It gets a summary of the conversation instead.";

type Rung = Exclude<OpenWayAsked, { way: "new" }>;

function rungs(before: AgentHead | null, { reopens }: AgentConnection): readonly Rung[] {
  if (!before?.session_id || !before.reopens) return [];
  const { session_id: agent_session_id, made_at } = before;
  const order = before.clean ? (["resume", "load"] as const) : (["load", "resume"] as const);
  return order.filter((way) => reopens[way]).map((way) => ({ way, agent_session_id, made_at }));
}
