import type { RunEvent } from "../../contract/run-event.ts";
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

export interface AgentParts
  extends Pick<RunContext, "starter" | "limits" | "driver" | "keepTranscript"> {
  readonly catalog: AgentCatalog;
}

/** Running agents from this process, in one caller's name. */
export interface AgentRunner {
  /** The service's surroundings, with agents. */
  readonly context: ServiceContext;
  run(input: RunInput): AsyncGenerator<RunEvent>;
  runStep(step: AgentStep): Promise<AgentStepOutput>;
  converse(place: Place): Promise<Conversation>;
  /** For a process that is told to end: every session that it drives is suspended, then their agents are ended. */
  suspendAll(reason: SuspendReason): Promise<void>;
  close(): Promise<void>;
}

export function createAgentRunner(
  base: ServiceContext,
  { catalog, ...parts }: AgentParts,
  caller: Caller,
): AgentRunner {
  const run: RunContext = {
    ...base,
    ...parts,
    live: new LiveText(),
    findAgent: (name, cwd) => catalog.find(name, cwd),
  };
  const drivers = new Drivers(run);
  const wake = async (): Promise<void> => {
    for (const found of await wakeDue(run, caller.owner)) await drivers.drive(found);
  };
  const waking = setInterval(() => void wake().catch(() => undefined), run.limits.wake_every);
  waking.unref();
  return {
    context: {
      ...base,
      agents: {
        list: (cwd) => catalog.list(cwd),
        expectAgent: (found) => drivers.expectAgent(found),
        drive: (found) => drivers.drive(found),
      },
    },
    run: (input) => runAgent(run, drivers, caller, input),
    runStep: (step) => runAgentStep(run, drivers, caller, step),
    converse: (place) => openConversation(run, drivers, caller, place),
    suspendAll: (reason) => drivers.suspend(caller, reason),
    async close() {
      clearInterval(waking);
      await drivers.close();
    },
  };
}
