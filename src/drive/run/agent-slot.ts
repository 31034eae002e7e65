import type { SessionCommand } from "../../contract/commands.ts";
import type { SessionHead } from "../../contract/head.ts";
import { settleCalls } from "../../core/recovery/plan-recovery.ts";
import type { AgentProfile } from "../agents/agent-profile.ts";
import type { DrivenSession } from "./driven-session.ts";
import { findAgentOf, type RunContext } from "./run-context.ts";
import { type BegunTurn, RunningAgent } from "./running-agent.ts";

/** The share that one session has in the agents of this process. */
export interface AgentShare {
  /** True if its agent may work on a turn now. Otherwise the driver is notified once it may. */
  enter(): boolean;
  /** The turn is over, or there is none. */
  leave(): void;
  /** The agent asks a person, or was answered. */
  onAsking(): void;
  /** Ends idle agents if necessary, and calls back before the process starts. */
  makeRoom(take: () => void): Promise<void>;
}

/** The reason why a driver leaves its session. */
export type LeaveReason = "idle" | "gave_way" | "suspended" | "finished" | "handed_off" | "closed";

interface SlotListener {
  /** The agent's work can no longer be stored. */
  onFailure(error: unknown): void;
  /** The agent's process exited by itself. */
  onExit(): void;
}

/** The slot for a session's agent: empty, starting or running. Leaving it ends every process in it. */
export class AgentSlot {
  agent: RunningAgent | null = null;
  readonly #run: RunContext;
  readonly #session: DrivenSession;
  readonly #share: AgentShare;
  readonly #listener: SlotListener;
  #opening: AbortController | null = null;
  #starting = false;

  constructor(run: RunContext, session: DrivenSession, share: AgentShare, listener: SlotListener) {
    this.#run = run;
    this.#session = session;
    this.#share = share;
    this.#listener = listener;
  }

  /** True if a process runs or is starting. */
  get isOccupied(): boolean {
    return this.agent !== null || this.#starting;
  }

  /** Returns the running agent with its session open. The head is the one before the turn that needs it. */
  async open(
    head: SessionHead,
    profile: AgentProfile | null,
    turn: BegunTurn,
    signal: AbortSignal,
  ): Promise<RunningAgent> {
    // After a restored checkpoint, the agent's history differs from ours.
    const isStrange = head.agent?.session_id === null;
    if (this.agent && (isStrange || this.agent.died)) await this.leave("finished");
    if (this.agent) return this.agent;
    const opening = new AbortController();
    const abort = (): void => opening.abort();
    signal.addEventListener("abort", abort);
    if (signal.aborted) abort();
    this.#opening = opening;
    try {
      await this.#share.makeRoom(() => {
        this.#starting = true;
      });
      const { head: now } = await this.#session.load();
      const agent = await RunningAgent.open(
        this.#run,
        this.#session,
        profile ?? (await findAgentOf(this.#run, head)),
        { ...now, counts: head.counts },
        turn,
        {
          onFailure: (error) => this.#listener.onFailure(error),
          onAsking: () => this.#share.onAsking(),
        },
        opening.signal,
      );
      this.agent = agent;
      void agent.connection.exited.then(() => this.#exited(agent));
      return agent;
    } finally {
      this.#opening = null;
      this.#starting = false;
      signal.removeEventListener("abort", abort);
    }
  }

  /** Cancels the start of an agent. */
  cancelStart(): void {
    this.#opening?.abort();
  }

  /** Ends the agent and records that. */
  async leave(reason: LeaveReason): Promise<void> {
    const { agent } = this;
    if (!agent) return;
    this.agent = null;
    const { died } = agent;
    await agent.end();
    try {
      const commands: SessionCommand[] = died
        ? await this.#closingCommands(agent)
        : [...agent.recorder.closeCalls(() => true), { type: "note_agent_stopped", reason }];
      await this.#session.writeUnlessSuperseded(commands);
    } catch {
      // The current or next lease holder settles the open items.
    }
  }

  /** Ends an agent that died during its turn, and returns the commands to record before the end of the turn. */
  async settleDead(agent: RunningAgent): Promise<SessionCommand[]> {
    this.agent = null;
    await agent.end();
    return this.#closingCommands(agent);
  }

  async #closingCommands(agent: RunningAgent): Promise<SessionCommand[]> {
    const { head } = await this.#session.load();
    const calls = agent.recorder.openCalls();
    const { commands, question } = settleCalls({ ...head, turn: null }, calls, this.#run.newId());
    return [...commands, ...(question ? [question] : [])];
  }

  #exited(agent: RunningAgent): void {
    if (this.agent !== agent) return;
    agent.died = true;
    this.#listener.onExit();
  }
}
