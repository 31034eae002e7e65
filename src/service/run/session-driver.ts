import type { PromptEnd } from "../../agent/agent-connection.ts";
import type { SessionCommand } from "../../contract/commands.ts";
import { BelayError, refuse } from "../../contract/errors.ts";
import type { Open, SessionHead } from "../../contract/head.ts";
import type { OpenCall } from "../../core/open-call.ts";
import { settleCalls } from "../../core/plan-recovery.ts";
import { identifyProcess } from "../../process/process-identity.ts";
import type { FoundSession } from "../find-session.ts";
import { knownEvent } from "../read-head-at.ts";
import { recoverUnderLease } from "../recovery/recover-session.ts";
import { briefAgent } from "./brief-agent.ts";
import { DrivenSession, isOvertaken } from "./driven-session.ts";
import type { RunContext } from "./run-context.ts";
import { RunningAgent, stopTurn } from "./running-agent.ts";
import type { CancelReason, TurnEnd } from "./turn-end.ts";
import { judgeTurn, usageOf } from "./turn-end.ts";

/** Calls back in the moment in which there is room for one more process; throws when there will be none. */
export type MakeRoom = (take: () => void) => Promise<void>;

/** Why a driver leaves its session. */
export type LeaveReason = "idle" | "gave_way" | "suspended" | "finished" | "closed";

/**
 * The one process that runs a session's agent: takes its messages in order, keeps what the agent does, and stays until
 * the session is suspended or finished, the agent has been idle for long, or this process ends.
 */
export class SessionDriver {
  readonly session: DrivenSession;
  /** Resolves when the session has been left and its agent's processes are gone; rejects when the store failed. */
  readonly left: Promise<void>;
  readonly #run: RunContext;
  #agent: RunningAgent | null = null;
  #opening: AbortController | null = null;
  #turn: AbortController | null = null;
  /** From taking up a message until its turn has ended. */
  #answering = false;
  #starting = false;
  #leaving: LeaveReason | null = null;
  #hushed = false;
  #failure: unknown;
  #idleSince: number;
  #wake = (): void => {};
  readonly #settled = Promise.withResolvers<void>();
  #changed = true;
  /** Whether a process may be started for it now; the one who counts them says no by throwing. */
  readonly #makeRoom: MakeRoom;

  private constructor(run: RunContext, found: FoundSession, epoch: number, makeRoom: MakeRoom) {
    this.#run = run;
    this.#makeRoom = makeRoom;
    this.#idleSince = run.now();
    this.session = new DrivenSession(run, found, epoch);
    this.left = this.#drive();
  }

  /** Takes the lease, or says who has it; what a driver that died left open is settled then. */
  static async take(
    run: RunContext,
    found: FoundSession,
    makeRoom: MakeRoom,
  ): Promise<SessionDriver> {
    const holder = { name: run.driver, ...identifyProcess(process.pid) };
    const grant = await run.store.acquireLease(found.stream.id, holder);
    if (grant.granted) {
      const driver = new SessionDriver(run, found, grant.epoch, makeRoom);
      await Promise.race([driver.#settled.promise, driver.left]);
      return driver;
    }
    const { held } = grant;
    throw new BelayError(
      refuse("session_held", `${found.head.session_id} is driven by ${held.holder.name}`, {
        holder: held.holder,
      }),
    );
  }

  /** It has a process, or is about to. */
  get runs(): boolean {
    return this.#agent !== null || this.#starting;
  }

  /** Since when it has had nothing to do; null while it has. */
  get idleSince(): number | null {
    const agent = this.#agent;
    if (this.#answering || (agent && agent.asking > 0)) return null;
    if (!agent) return this.#idleSince;
    const since = Math.max(this.#idleSince, agent.heard);
    const busy = agent.recorder.openCalls().some((call) => call.running);
    const background = this.#run.now() - agent.heard < this.#run.limits.background;
    return busy && background ? null : since;
  }

  /** Ends the turn, if there is one, and begins no other before it is left; the agent stays. */
  async quiet(): Promise<void> {
    this.#hushed = true;
    if (this.#turn) stopTurn(this.#turn, "suspend");
    while (this.#answering && !this.#leaving) await this.#next();
  }

  openCalls(): readonly OpenCall[] {
    return this.#agent?.recorder.openCalls() ?? [];
  }

  leave(reason: LeaveReason): Promise<void> {
    this.#leaving ??= reason;
    if (this.#turn) stopTurn(this.#turn, "suspend");
    this.#opening?.abort();
    this.#stir();
    return this.left;
  }

  async #drive(): Promise<void> {
    const stopLooking = this.session.onChange(() => this.#stir());
    try {
      await this.#settle();
      this.#settled.resolve();
      await this.#work();
    } catch (error) {
      if (!isLost(error)) throw error;
    } finally {
      stopLooking();
      await this.#dismiss(this.#leaving ?? "closed");
      await this.session.release();
    }
  }

  async #settle(): Promise<void> {
    const { stream, head } = await this.session.load();
    await recoverUnderLease(this.#run, stream, head, this.session.epoch, this.#run.newId());
  }

  async #work(): Promise<void> {
    for (;;) {
      this.#changed = false;
      const { head } = await this.session.load();
      if (this.#failure !== undefined) throw this.#failure;
      if (!isDrivable(head)) {
        this.#leaving ??= head.status === "suspended" ? "suspended" : "finished";
      }
      if (this.#leaving) return;
      const [message] = head.queue;
      if (message && !this.#hushed) await this.#takeUp(message, head);
      else await this.#next();
    }
  }

  async #takeUp(message: Open, head: SessionHead): Promise<void> {
    this.#answering = true;
    try {
      await this.#answer(message, head);
    } finally {
      this.#answering = false;
      this.#idleSince = this.#run.now();
      if (this.#agent?.died) this.#exited(this.#agent);
      this.#stir();
    }
  }

  /** Waits until something may be different. */
  async #next(): Promise<void> {
    if (this.#changed) {
      this.#changed = false;
      return;
    }
    await new Promise<void>((resolve) => {
      const before = this.#wake;
      this.#wake = () => {
        before();
        resolve();
      };
    });
  }

  #stir(): void {
    this.#changed = true;
    const wake = this.#wake;
    this.#wake = () => {};
    wake();
    if (this.#turn) void this.#reconsider(this.#turn);
  }

  /** Stops the turn when someone has said so in the log. */
  async #reconsider(turn: AbortController): Promise<void> {
    try {
      const { head } = await this.session.load();
      if (turn !== this.#turn) return;
      if (head.interrupt_requested) stopTurn(turn, "interrupt");
      else if (head.turn === null) stopTurn(turn, "taken");
      else if (!isDrivable(head)) stopTurn(turn, "suspend");
    } catch (error) {
      if (isLost(error)) stopTurn(turn, "lost");
      else this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    if (this.#turn) stopTurn(this.#turn, "suspend");
    this.#stir();
  }

  async #answer(message: Open, before: SessionHead): Promise<void> {
    const content = await this.#read(message);
    // A message that is not begun stays in the queue, for whoever comes next.
    if (this.#leaving || this.#hushed) return;
    const seq = await this.#begin(message);
    if (seq === null) return;
    const turn = new AbortController();
    this.#turn = turn;
    // Whoever wanted it to stop while it was being put down was not heard.
    if (this.#leaving || this.#hushed) stopTurn(turn, "suspend");
    void this.#reconsider(turn);
    let end: PromptEnd | { failure: unknown };
    try {
      turn.signal.throwIfAborted();
      const agent = await this.#seat(before, turn.signal);
      agent.recorder.beginTurn(message.id, seq);
      for (const setback of agent.reopened?.setbacks ?? []) agent.recorder.note(setback);
      const briefing = agent.reopened
        ? await briefAgent(this.#run.store, this.session.id, before, message.id, agent.reopened)
        : "";
      agent.reopened = null;
      end = await agent.prompt(`${briefing}${content}`, turn);
    } catch (failure) {
      end = { failure };
    }
    const cancelled: CancelReason | null = turn.signal.aborted ? turn.signal.reason : null;
    await this.#endTurn(message.id, judgeTurn(end, cancelled), "stop" in end ? end : null);
    this.#turn = null;
  }

  /** How far the log has come with the turn; null when someone has just stopped the session. */
  async #begin({ id: turn_id }: Open): Promise<number | null> {
    try {
      const command = { type: "start_turn", turn_id, content: null } as const;
      return (await this.session.write([command])).stream.seq;
    } catch (error) {
      if (isOvertaken(error)) return null;
      throw error;
    }
  }

  async #read({ seq }: Open): Promise<string> {
    const [stored] = await this.#run.store.readEvents(this.session.id, {
      after: seq - 1,
      limit: 1,
    });
    const event = stored && knownEvent(stored);
    return event?.type === "message.queued" ? event.data.content : "";
  }

  /** The agent, running and with its session open. */
  async #seat(head: SessionHead, signal: AbortSignal): Promise<RunningAgent> {
    // Our past is not its past any more once someone has gone back to a checkpoint.
    const isStrange = head.agent?.session_id === null;
    if (this.#agent && (isStrange || this.#agent.died)) await this.#dismiss("finished");
    if (this.#agent) return this.#agent;
    const cwd = head.project?.cwd ?? process.cwd();
    const opening = new AbortController();
    const abort = (): void => opening.abort();
    signal.addEventListener("abort", abort);
    if (signal.aborted) abort();
    this.#opening = opening;
    try {
      await this.#makeRoom(() => {
        this.#starting = true;
      });
      const { head: now } = await this.session.load();
      const agent = await RunningAgent.open(
        this.#run,
        this.session,
        { ...now, counts: head.counts },
        cwd,
        (error) => this.#fail(error),
        opening.signal,
      );
      this.#agent = agent;
      void agent.connection.exited.then(() => this.#exited(agent));
      return agent;
    } finally {
      this.#opening = null;
      this.#starting = false;
      signal.removeEventListener("abort", abort);
    }
  }

  /** An agent that ends without a turn has nothing to say about it to anyone; the session waits for its next message. */
  #exited(agent: RunningAgent): void {
    agent.died ||= this.#agent === agent;
    if (this.#agent !== agent || this.#answering) return;
    this.#leaving ??= "idle";
    this.#stir();
  }

  async #endTurn(turn_id: string, end: TurnEnd, said: PromptEnd | null): Promise<void> {
    const agent = this.#agent;
    const { outcome, error } = end;
    const usage = agent && usageOf(said, agent.recorder.takeCost());
    const ended: SessionCommand = { type: "end_turn", turn_id, outcome, error, usage };
    agent?.recorder.endTurn();
    if (agent && outcome === "failed") this.#keepTranscript(agent);
    if (agent && end.died) {
      this.#agent = null;
      await agent.end();
      await this.session.writeWhatFits(await this.#bury(agent, [ended]));
      return;
    }
    const stopped = outcome !== "completed";
    const closed = agent?.recorder.closeCalls((call) => stopped || !call.running) ?? [];
    await this.session.writeWhatFits([...closed, ended]);
  }

  /** Diagnosis is worth having and not worth failing for. */
  #keepTranscript(agent: RunningAgent): void {
    try {
      this.#run.keepTranscript?.(this.session.session_id, agent.connection.transcript());
    } catch {}
  }

  /** Ends the agent and says so. Nothing that it started is left. */
  async #dismiss(reason: LeaveReason): Promise<void> {
    const agent = this.#agent;
    if (!agent) return;
    this.#agent = null;
    const { died } = agent;
    await agent.end();
    try {
      const commands = died
        ? await this.#bury(agent, [])
        : [...agent.recorder.closeCalls(() => true), stopped(reason)];
      await this.session.writeWhatFits(commands);
    } catch {
      // Whoever has the lease now, or takes it next, settles what is left open.
    }
  }

  /** What an agent that died leaves to be said, `last` with it. */
  async #bury(agent: RunningAgent, last: readonly SessionCommand[]): Promise<SessionCommand[]> {
    const { head } = await this.session.load();
    const calls = agent.recorder.openCalls();
    const { commands, question } = settleCalls({ ...head, turn: null }, calls, this.#run.newId());
    return [...commands, ...(question ? [question] : []), ...last];
  }
}

function stopped(reason: LeaveReason): SessionCommand {
  return { type: "note_agent_stopped", reason };
}

const DRIVABLE: ReadonlySet<SessionHead["status"]> = new Set(["created", "active"]);

function isDrivable(head: SessionHead): boolean {
  return DRIVABLE.has(head.status) && head.deleted === null;
}

function isLost(error: unknown): boolean {
  return error instanceof BelayError && error.code === "lease_lost";
}
