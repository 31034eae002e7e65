import { BelayError } from "../../contract/errors.ts";
import type { AgentStep, RunInput, SessionToRun } from "../../contract/method-inputs.ts";
import type { Delta, RunEvent } from "../../contract/run-event.ts";
import type { FollowedEvent } from "../../contract/session.ts";
import type { SuspendReason } from "../../contract/vocabulary.ts";
import { mayDriveWaiting } from "../../core/resume/should-resume.ts";
import { isSessionHead } from "../../core/session/known-events.ts";
import { everySession } from "../../service/read/every-session.ts";
import type { FoundSession } from "../../service/read/find-session.ts";
import { resumePolicy } from "../../service/resume-policy.ts";
import type { AgentAccess, Caller, ServiceContext } from "../../service/service-context.ts";
import type { NodeMessages } from "../../store/node-messages.ts";
import type { Membership } from "../../store/node-registry.ts";
import { loadStream } from "../../store/read-streams.ts";
import type { AgentCatalog } from "../agents/agent-catalog.ts";
import { LiveText } from "../live/live-text.ts";
import type { DriveContext } from "../recovery/drive-context.ts";
import type { AgentConversation } from "./agent-conversation.ts";
import { Drivers } from "./drivers.ts";
import type { TurnAccess } from "./follow-turn.ts";
import { awaitTurn, followTurn } from "./follow-turn.ts";
import { NodeRouting } from "./node-routing.ts";
import { openConversation, runAgent } from "./run-agent.ts";
import type { AgentStepOutput } from "./run-agent-step.ts";
import { runAgentStep } from "./run-agent-step.ts";
import { findAgentFor, type RunContext } from "./run-context.ts";
import { wakeDue } from "./wake-due.ts";
import type { WatchedPlace } from "./watch-session.ts";
import { watchLog } from "./watch-session.ts";

interface AgentParts extends Pick<RunContext, "starter" | "limits" | "driver" | "writeTranscript"> {
  readonly members?: RunContext["members"];
  readonly memberFolders?: RunContext["memberFolders"];
  readonly catalog: AgentCatalog;
  /** The owner whose sessions are woken automatically; without it, the owner of the runner calls `wakeDue`. */
  readonly wakes?: string;
}

interface DrivenSessions {
  /** The number of sessions that are worked on. */
  readonly driven: number;
  /** Sessions that cannot be driven now, for example because their owner is disabled. */
  readonly refused: readonly { readonly found: FoundSession; readonly error: BelayError }[];
}

/** Runs agents in this process. */
export interface AgentRunner<C extends DriveContext = DriveContext> extends TurnAccess {
  readonly agents: AgentAccess;
  /** Null if members start no agents here. */
  readonly members: RunContext["members"];
  /** The context of the service, with agents. */
  readonly context: C;
  run(caller: Caller, input: RunInput): AsyncGenerator<RunEvent>;
  runStep(caller: Caller, step: AgentStep): Promise<AgentStepOutput>;
  converse(caller: Caller, place: SessionToRun): Promise<AgentConversation>;
  /** The same, with events as the interfaces show them. */
  watchLog(
    id: string,
    from: WatchedPlace,
    signal: AbortSignal,
  ): AsyncGenerator<FollowedEvent | Delta>;
  /**
   * Resumes sessions whose suspension has ended, of one owner or, with null, of all. Returns how many have messages to
   * work on. Throws if one of those cannot be started, after all others were.
   */
  wakeDue(owner: string | null): Promise<number>;
  /** Works on recent messages that another process left behind, of all owners. */
  driveWaiting(): Promise<DrivenSessions>;
  /** Drives sessions (entity ids) that another node left to this one. */
  takeOver(ids: readonly string[]): Promise<void>;
  /** The number of agents that can still be started here; idle ones give way. Negative after `handOver`. */
  room(): number;
  /** Makes this process a node: from now on, another node may be chosen to drive a session. */
  join(membership: Membership, place: string): void;
  /** Exchanges the live text of agents with other nodes. */
  connect(messages: NodeMessages): void;
  /** Ends agents that were idle for long, which also happens automatically. Returns how many. */
  reap(): Promise<number>;
  /** Suspends the sessions of owners who may no longer run agents, such as disabled people. Returns how many. */
  endRefused(caller: Caller): Promise<number>;
  /**
   * Shuts down: suspends every session that this process drives, and those of `served` (entity ids) that are active and
   * not driven, all in one transaction. Then it ends their agents.
   */
  suspendAll(caller: Caller, reason: SuspendReason, served?: Iterable<string>): Promise<void>;
  /** Shuts down one of several nodes: interrupts all turns, ends all agents, and asks other nodes to continue. */
  handOver(caller: Caller): Promise<void>;
  close(): Promise<void>;
}

export function createAgentRunner<C extends DriveContext>(
  base: C,
  { catalog, wakes, ...parts }: AgentParts,
): AgentRunner<C> {
  const run: RunContext = {
    ...base,
    ...parts,
    members: parts.members ?? null,
    memberFolders: parts.memberFolders ?? [],
    live: new LiveText(),
    routing: new NodeRouting(),
    findAgent: (name, cwd) => catalog.find(name, cwd),
  };
  const drivers = new Drivers(run);
  const driveAll = async (waiting: readonly FoundSession[]): Promise<DrivenSessions> => {
    const refused: { found: FoundSession; error: BelayError }[] = [];
    const failures: unknown[] = [];
    for (const found of waiting) {
      await drivers.drive(found).catch((error: unknown) => {
        if (error instanceof BelayError) refused.push({ found, error });
        else failures.push(error);
      });
    }
    if (failures.length > 0) throw failures[0];
    return { driven: waiting.length - refused.length, refused };
  };
  const wake = async (owner: string | null): Promise<number> => {
    const { driven, refused } = await driveAll(await wakeDue(run, owner));
    if (refused[0]) throw refused[0].error;
    return driven;
  };
  const waking =
    wakes === undefined
      ? undefined
      : setInterval(() => void wake(wakes).catch(() => undefined), run.limits.wake_every).unref();
  const agents: AgentAccess = {
    list: (cwd) => catalog.list(cwd),
    knows: (name, cwd) => catalog.knows(name, cwd),
    expect: async (owner, name, cwd) => void (await findAgentFor(run, owner, name, cwd)),
    positionOf: (id) => drivers.queue.positionOf(id),
    prepare: (found) => drivers.prepare(found),
    drive: (found) => drivers.drive(found),
  };
  return {
    agents,
    members: run.members,
    context: { ...base, agents },
    run: (caller, input) => runAgent(run, drivers, caller, input),
    runStep: (caller, step) => runAgentStep(run, drivers, caller, step),
    converse: (caller, place) => openConversation(run, drivers, caller, place),
    watchLog: (id, from, signal) => watchLog(run, run.live, id, from, signal),
    followTurn: (caller, sent, signal) => followTurn(run, drivers, caller, sent, signal),
    awaitTurn: (caller, sent, ms, signal) => awaitTurn(run, drivers, caller, sent, ms, signal),
    expectAgent: (owner, name, cwd) => drivers.admit(owner, name, cwd),
    wakeDue: wake,
    driveWaiting: async () => driveAll(await findLeft(run, (id) => drivers.queue.has(id))),
    takeOver: (ids) => drivers.takeOver(ids),
    room: () => drivers.room(),
    join: (membership, place) => run.routing.join(membership, place),
    connect: (messages) => run.live.connect(messages, (id) => readTurn(run, id)),
    reap: () => drivers.reap(),
    endRefused: (caller) => drivers.endRefused(caller),
    suspendAll: (caller, reason, served) => drivers.suspendAll(caller, reason, served),
    handOver: (caller) => drivers.handOver(caller),
    async close() {
      clearInterval(waking);
      await drivers.close();
    },
  };
}

/** The id of the turn that runs in a session; null if none does. */
async function readTurn({ store }: ServiceContext, id: string): Promise<string | null> {
  const stream = await loadStream(store, { id });
  return (isSessionHead(stream?.head) && stream.head.turn?.id) || null;
}

/**
 * The sessions of all owners with messages that no process works on, because its driver died, in the order of their
 * messages. Those that wait in line here are left out.
 */
async function findLeft(
  { store, now }: ServiceContext,
  waits: (id: string) => boolean,
): Promise<FoundSession[]> {
  const left: FoundSession[] = [];
  for await (const found of everySession(store, null, { status: ["active"], unsettled: true })) {
    const { stream, head } = found;
    if (stream.lease?.live || waits(stream.id)) continue;
    if (mayDriveWaiting(head, now(), resumePolicy())) left.push(found);
  }
  return left.sort((a, b) => a.head.updated_at - b.head.updated_at);
}
