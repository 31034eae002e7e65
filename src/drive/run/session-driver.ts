import type { PromptEnd } from "../../agent/agent-connection.ts";
import type { SessionCommand } from "../../contract/commands.ts";
import { BelayError, refuse } from "../../contract/errors.ts";
import type { Open, SessionHead } from "../../contract/head.ts";
import type { OpenCall } from "../../core/session/open-call.ts";
import { identifyHolder } from "../../process/process-identity.ts";
import { ownedName } from "../../service/owned-name.ts";
import type { FoundSession } from "../../service/read/find-session.ts";
import { knownEvent } from "../../service/read/read-head-at.ts";
import { acquireLease } from "../../store/leases.ts";
import { readEvents } from "../../store/read-streams.ts";
import type { GrantedLease } from "../../store/stream-store.ts";
import type { AgentProfile } from "../agents/agent-profile.ts";
import { findContinuation, recoverUnderLease } from "../recovery/recover-session.ts";
import type { AgentState } from "./agent-queue.ts";
import type { AgentShare, LeaveReason } from "./agent-slot.ts";
import { AgentSlot } from "./agent-slot.ts";
import { briefAgent } from "./brief-agent.ts";
import { DrivenSession, isOvertaken } from "./driven-session.ts";
import type { RunContext } from "./run-context.ts";
import type { RunningAgent } from "./running-agent.ts";
import { stopTurn } from "./running-agent.ts";
import type { CancelReason, TurnEnd } from "./turn-end.ts";
import { judgeTurn, usageOf } from "./turn-end.ts";

/**
 * The one driver of a session's agent: it handles messages in order, records the agent's work, and stays until the
 * session is suspended or finished, the agent was idle for long, or this process ends.
 */
export class SessionDriver {
  readonly session: DrivenSession;
  /** Resolves when the driver has left and its agent's processes are gone; rejects if the store failed. */
  readonly left: Promise<void>;
  readonly #run: RunContext;
  readonly #share: AgentShare;
  readonly #slot: AgentSlot;
  /** Used for the first start; a later start reads the agent's files again. */
  #profile: AgentProfile | null;
  #turn: AbortController | null = null;
  /** True from reading a message until its turn has ended. */
  #answering = false;
  #leaving: LeaveReason | null = null;
  #hushed = false;
  #wasStopped = false;
  #failure: unknown;
  #idleSince: number;
  #wake = (): void => {};
  readonly #settled = Promise.withResolvers<void>();
  #changed = true;

  private constructor(
    run: RunContext,
    found: FoundSession,
    agent: AgentProfile,
    grant: GrantedLease,
    share: AgentShare,
  ) {
    this.#run = run;
    this.#share = share;
    this.#profile = agent;
    this.#idleSince = run.now();
    this.session = new DrivenSession(run, found, grant);
    this.#slot = new AgentSlot(run, this.session, share, {
      onFailure: (error) => this.#fail(error),
      onExit: () => this.#exited(),
    });
    this.left = this.#drive();
  }

  /** Acquires the lease, or reports its holder. Then it settles the work that a dead driver left open. */
  static async start(
    run: RunContext,
    found: FoundSession,
    agent: AgentProfile,
    share: AgentShare,
  ): Promise<SessionDriver> {
    const holder = identifyHolder(run.driver);
    const grant = await acquireLease(run.store, found.stream.id, holder);
    if (grant.granted) {
      const driver = new SessionDriver(run, found, agent, grant, share);
      await Promise.race([driver.#settled.promise, driver.left]);
      return driver;
    }
    const { held } = grant;
    throw new BelayError(
      refuse(
        "session_held",
        `${found.head.session_id} is already run by ${held.holder.name}. Wait until it has finished.`,
        {
          holder: held.holder,
        },
      ),
    );
  }

  /** True if a process runs or is starting. */
  get runs(): boolean {
    return this.#slot.isOccupied;
  }

  /** True if its agent runs outside of the owner's own sandbox. */
  get runsElsewhere(): boolean {
    const { agent } = this.#slot;
    return agent !== null && agent.sandbox_of !== this.session.owner;
  }

  get state(): AgentState {
    const { agent } = this.#slot;
    if (agent && agent.asking > 0) return "asking";
    return this.idleSince === null ? "working" : "idle";
  }

  /** The time since which the driver is idle; null while it works. */
  get idleSince(): number | null {
    const { agent } = this.#slot;
    if (this.#answering || (agent && agent.asking > 0)) return null;
    if (!agent) return this.#idleSince;
    const since = Math.max(this.#idleSince, agent.heard);
    const busy = agent.recorder.openCalls().some((call) => call.running);
    const background = this.#run.now() - agent.heard < this.#run.limits.background;
    return busy && background ? null : since;
  }

  /** Ends the turn, if there is one, and starts no other before the driver leaves; the agent stays. */
  async quiet(): Promise<void> {
    this.#hushed = true;
    if (this.#turn) stopTurn(this.#turn, "suspend");
    while (this.#answering && !this.#leaving) await this.#next();
  }

  /** True if a turn was ended because this driver must leave. */
  get wasStopped(): boolean {
    return this.#wasStopped;
  }

  openCalls(): readonly OpenCall[] {
    return this.#slot.agent?.recorder.openCalls() ?? [];
  }

  leave(reason: LeaveReason): Promise<void> {
    this.#leaving ??= reason;
    if (this.#turn) stopTurn(this.#turn, "suspend");
    this.#slot.cancelStart();
    this.#stir();
    return this.left;
  }

  async #drive(): Promise<void> {
    const stopLooking = this.session.onChange(() => this.#stir());
    let hasLost = false;
    try {
      await this.#settle();
      this.#settled.resolve();
      await this.#work();
    } catch (error) {
      hasLost = isLost(error);
      if (!hasLost) throw error;
    } finally {
      stopLooking();
      await this.#slot.leave(this.#leaving ?? "closed");
      await this.session.release(hasLost);
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
      if (!this.#isOurs(head)) this.#leaving ??= "handed_off";
      if (this.#leaving) return;
      const [message] = head.queue;
      if (!message || this.#hushed) await this.#rest();
      else if (this.session.isLate) await this.#awaitRenewal();
      else if (!this.#share.enter()) await this.#awaitTurn();
      else await this.#answerNext(message, head);
    }
  }

  /** Waits for a message. */
  async #rest(): Promise<void> {
    this.#profile = null;
    this.#share.leave();
    await this.#next();
  }

  /** Waits until the agent may work again. Without an agent, any process may drive the session meanwhile. */
  async #awaitTurn(): Promise<void> {
    if (this.#slot.isOccupied) await this.#next();
    else this.#leaving ??= "gave_way";
  }

  /** Waits until the lease is renewed or lost: an agent that starts before that would be ended at once. */
  async #awaitRenewal(): Promise<void> {
    const stop = this.session.deadline?.onMoved(() => this.#stir());
    await this.#next();
    stop?.();
  }

  async #answerNext(message: Open, head: SessionHead): Promise<void> {
    this.#answering = true;
    try {
      await this.#answer(message, head);
    } finally {
      this.#answering = false;
      this.#idleSince = this.#run.now();
      if (this.#slot.agent?.died) this.#exited();
      this.#share.leave();
      this.#stir();
    }
  }

  /** Waits until something may have changed. */
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
    // Nothing more can stop a turn that is being stopped.
    if (this.#turn && !this.#turn.signal.aborted) void this.#reconsider(this.#turn);
  }

  /** Stops the turn if the log has a request to stop it. */
  async #reconsider(turn: AbortController): Promise<void> {
    try {
      const { head } = await this.session.load();
      if (turn !== this.#turn) return;
      if (head.interrupt_requested || !this.#isOurs(head)) stopTurn(turn, "interrupt");
      else if (head.turn === null) stopTurn(turn, "taken");
      else if (!isDrivable(head)) stopTurn(turn, "suspend");
    } catch (error) {
      if (isLost(error)) stopTurn(turn, "lost");
      else this.#fail(error);
    }
  }

  /** False once the session was handed to another agent. */
  #isOurs(head: SessionHead): boolean {
    return head.agent_name === this.session.agent_name;
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    if (this.#turn) stopTurn(this.#turn, "unstored");
    this.#stir();
  }

  async #answer(message: Open, before: SessionHead): Promise<void> {
    const content = await this.#read(message);
    // A message that was not started stays in the queue for the next driver.
    if (this.#leaving || this.#hushed) return;
    const begun = await this.#begin(message);
    if (begun === null) return;
    const { seq } = begun;
    // Everything that was merged before the turn started is part of its notes.
    const known = { ...before, ...(begun.missed && { missed: begun.missed }) };
    const turn = new AbortController();
    this.#turn = turn;
    // A request to stop that came while the start was being stored was not seen yet.
    if (this.#leaving || this.#hushed) stopTurn(turn, "suspend");
    void this.#reconsider(turn);
    let end: PromptEnd | { failure: unknown };
    try {
      turn.signal.throwIfAborted();
      const profile = this.#profile;
      this.#profile = null;
      const place = { id: message.id, seq };
      const agent = await this.#slot.open(before, profile, place, turn.signal);
      agent.recorder.beginTurn(message.id, seq);
      for (const setback of agent.reopened?.setbacks ?? []) agent.recorder.note(setback);
      const briefing = await briefAgent(
        this.#run.store,
        this.session.id,
        known,
        message.id,
        agent.reopened,
      );
      agent.reopened = null;
      end = await agent.prompt(`${briefing}${content}`, turn);
    } catch (failure) {
      end = { failure };
    }
    const cancelled: CancelReason | null = turn.signal.aborted ? turn.signal.reason : null;
    await this.#endTurn(message.id, judgeTurn(end, cancelled), "stop" in end ? end : null);
    this.#wasStopped ||= cancelled === "suspend";
    this.#turn = null;
  }

  /** The seq of the log at the start of the turn; null if the session was just stopped. */
  async #begin({
    id: turn_id,
  }: Open): Promise<{ seq: number; missed: SessionHead["missed"] } | null> {
    try {
      const agent = this.session.agent_name;
      const command = { type: "start_turn", turn_id, content: null, agent } as const;
      const { stream, head } = await this.session.write([command]);
      return { seq: stream.seq, missed: head.missed };
    } catch (error) {
      if (isOvertaken(error)) return null;
      throw error;
    }
  }

  async #read({ seq }: Open): Promise<string> {
    const [stored] = await readEvents(this.#run.store, this.session.id, {
      after: seq - 1,
      limit: 1,
    });
    const event = stored && knownEvent(stored);
    return event?.type === "message.queued" ? event.data.content : "";
  }

  /** An agent that exits between turns needs no report; the session waits for its next message. */
  #exited(): void {
    if (this.#answering) return;
    this.#leaving ??= "idle";
    this.#stir();
  }

  async #endTurn(turn_id: string, end: TurnEnd, said: PromptEnd | null): Promise<void> {
    const { agent } = this.#slot;
    const { outcome, error } = end;
    const usage = agent && usageOf(said, agent.recorder.costSinceLast());
    const ended: SessionCommand = { type: "end_turn", turn_id, outcome, error, usage };
    agent?.recorder.endTurn();
    if (agent && outcome === "failed") this.#writeTranscript(agent);
    const closed = await this.#closeCalls(end);
    const asks = closed.some(({ type }) => type === "request_approval");
    const next = end.continues && !asks ? await this.#continuation() : null;
    await this.session.writeUnlessSuperseded([...closed, ended, ...(next ? [next] : [])]);
  }

  async #closeCalls({ outcome, died, continues }: TurnEnd): Promise<readonly SessionCommand[]> {
    const { agent } = this.#slot;
    if (!agent) return [];
    if (died || continues) return this.#slot.settleDead(agent);
    const stopped = outcome !== "completed";
    return agent.recorder.closeCalls((call) => stopped || !call.running);
  }

  /** The message that continues the running turn; null if there is none. */
  async #continuation(): Promise<SessionCommand | null> {
    const { head } = await this.session.load();
    return findContinuation(this.#run, this.session.id, head);
  }

  /** The diagnosis is useful, but its failure must not fail the turn. */
  #writeTranscript(agent: RunningAgent): void {
    try {
      const { owner, session_id } = this.session;
      this.#run.writeTranscript?.(ownedName(owner, session_id), agent.connection.transcript());
    } catch {}
  }
}

const DRIVABLE: ReadonlySet<SessionHead["status"]> = new Set(["created", "active"]);

function isDrivable(head: SessionHead): boolean {
  return DRIVABLE.has(head.status) && head.deleted === null;
}

function isLost(error: unknown): boolean {
  return error instanceof BelayError && error.code === "lease_lost";
}
