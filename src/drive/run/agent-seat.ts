import type { SessionCommand } from "../../contract/commands.ts";
import type { SessionHead } from "../../contract/head.ts";
import { settleCalls } from "../../core/recovery/plan-recovery.ts";
import type { AgentProfile } from "../agents/agent-profile.ts";
import type { DrivenSession } from "./driven-session.ts";
import { findAgentOf, type RunContext } from "./run-context.ts";
import { type BegunTurn, RunningAgent } from "./running-agent.ts";

/** Calls back in the moment in which there is room for one more process; throws when there will be none. */
export type MakeRoom = (take: () => void) => Promise<void>;

/** Why a driver leaves its session. */
export type LeaveReason = "idle" | "gave_way" | "suspended" | "finished" | "handed_off" | "closed";

interface SeatListener {
  /** What the agent does can no longer be kept. */
  onFailure(error: unknown): void;
  /** The agent's process has ended by itself. */
  onExit(): void;
}

/** The place of a session's agent: empty, being taken, or taken. Leaving it leaves nothing running. */
export class AgentSeat {
  agent: RunningAgent | null = null;
  readonly #run: RunContext;
  readonly #session: DrivenSession;
  readonly #makeRoom: MakeRoom;
  readonly #listener: SeatListener;
  #opening: AbortController | null = null;
  #starting = false;

  constructor(run: RunContext, session: DrivenSession, makeRoom: MakeRoom, listener: SeatListener) {
    this.#run = run;
    this.#session = session;
    this.#makeRoom = makeRoom;
    this.#listener = listener;
  }

  /** There is a process, or is about to be. */
  get isTaken(): boolean {
    return this.agent !== null || this.#starting;
  }

  /** The agent, running and with its session open. The head is that before the turn for which it is needed. */
  async take(
    head: SessionHead,
    profile: AgentProfile | null,
    turn: BegunTurn,
    signal: AbortSignal,
  ): Promise<RunningAgent> {
    // Our past is not its past any more once someone has gone back to a checkpoint.
    const isStrange = head.agent?.session_id === null;
    if (this.agent && (isStrange || this.agent.died)) await this.leave("finished");
    if (this.agent) return this.agent;
    const opening = new AbortController();
    const abort = (): void => opening.abort();
    signal.addEventListener("abort", abort);
    if (signal.aborted) abort();
    this.#opening = opening;
    try {
      await this.#makeRoom(() => {
        this.#starting = true;
      });
      const { head: now } = await this.#session.load();
      const agent = await RunningAgent.open(
        this.#run,
        this.#session,
        profile ?? (await findAgentOf(this.#run, head)),
        { ...now, counts: head.counts },
        turn,
        (error) => this.#listener.onFailure(error),
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

  /** Stops an agent from being started. */
  giveUp(): void {
    this.#opening?.abort();
  }

  /** Ends the agent and says so. */
  async leave(reason: LeaveReason): Promise<void> {
    const { agent } = this;
    if (!agent) return;
    this.agent = null;
    const { died } = agent;
    await agent.end();
    try {
      const commands: SessionCommand[] = died
        ? await this.#lastWill(agent)
        : [...agent.recorder.closeCalls(() => true), { type: "note_agent_stopped", reason }];
      await this.#session.writeWhatFits(commands);
    } catch {
      // The present or next holder of the lease settles what is left open.
    }
  }

  /** What an agent that died in its turn leaves to be said before the turn is ended. */
  async bury(agent: RunningAgent): Promise<SessionCommand[]> {
    this.agent = null;
    await agent.end();
    return this.#lastWill(agent);
  }

  async #lastWill(agent: RunningAgent): Promise<SessionCommand[]> {
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
