import type { SessionEvent } from "../../contract/events.ts";
import type { Delta, RunEvent } from "../../contract/run-event.ts";
import type { SuspendReason } from "../../contract/vocabulary.ts";
import type { AgentCatalog } from "../agents/agent-catalog.ts";
import type { Caller, ServiceContext } from "../context.ts";
import type { Conversation } from "./conversation.ts";
import { Drivers } from "./drivers.ts";
import { LiveText } from "./live-text.ts";
import type { Place, RunInput } from "./run-agent.ts";
import { openConversation, runAgent } from "./run-agent.ts";
import type { AgentStep, AgentStepOutput } from "./run-agent-step.ts";
import { runAgentStep } from "./run-agent-step.ts";
import type { RunContext } from "./run-context.ts";
import { wakeDue } from "./wake-due.ts";
import { watchSession } from "./watch-session.ts";

export interface AgentParts
  extends Pick<RunContext, "starter" | "limits" | "driver" | "keepTranscript"> {
  readonly catalog: AgentCatalog;
  /** The owner whose sessions are woken by themselves; without it, whoever holds the runner does that. */
  readonly wakes?: string;
}

/** Running agents from this process. */
export interface AgentRunner {
  /** The service's surroundings, with agents. */
  readonly context: ServiceContext;
  run(caller: Caller, input: RunInput): AsyncGenerator<RunEvent>;
  runStep(caller: Caller, step: AgentStep): Promise<AgentStepOutput>;
  converse(caller: Caller, place: Place): Promise<Conversation>;
  /** A session's events after `seq`, and between them what its agent says here, as it says it. */
  watch(id: string, seq: number, signal: AbortSignal): AsyncGenerator<SessionEvent | Delta>;
  /** Resumes sessions that were suspended until now: of one owner, or, with null, of all. */
  wakeDue(owner: string | null): Promise<void>;
  /** For a process that is told to end: every session that it drives is suspended, then their agents are ended. */
  suspendAll(caller: Caller, reason: SuspendReason): Promise<void>;
  close(): Promise<void>;
}

export function createAgentRunner(
  base: ServiceContext,
  { catalog, wakes, ...parts }: AgentParts,
): AgentRunner {
  const run: RunContext = {
    ...base,
    ...parts,
    live: new LiveText(),
    findAgent: (name, cwd) => catalog.find(name, cwd),
  };
  const drivers = new Drivers(run);
  const wake = async (owner: string | null): Promise<void> => {
    for (const found of await wakeDue(run, owner)) await drivers.drive(found);
  };
  const waking =
    wakes === undefined
      ? undefined
      : setInterval(() => void wake(wakes).catch(() => undefined), run.limits.wake_every).unref();
  return {
    context: {
      ...base,
      agents: {
        list: (cwd) => catalog.list(cwd),
        expectAgent: (found) => drivers.expectAgent(found),
        drive: (found) => drivers.drive(found),
      },
    },
    run: (caller, input) => runAgent(run, drivers, caller, input),
    runStep: (caller, step) => runAgentStep(run, drivers, caller, step),
    converse: (caller, place) => openConversation(run, drivers, caller, place),
    watch: (id, seq, signal) => watchSession(run, run.live, id, seq, signal),
    wakeDue: wake,
    suspendAll: (caller, reason) => drivers.suspend(caller, reason),
    async close() {
      clearInterval(waking);
      await drivers.close();
    },
  };
}
