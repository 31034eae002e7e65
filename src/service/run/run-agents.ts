import type { AgentStarter } from "../../agent/agent-connection.ts";
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
import type { RunContext, RunLimits } from "./run-context.ts";

export interface AgentParts {
  readonly starter: AgentStarter;
  readonly catalog: AgentCatalog;
  readonly limits: RunLimits;
  /** This process, as others are told who drives a session. */
  readonly driver: string;
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
    close: () => drivers.close(),
  };
}
