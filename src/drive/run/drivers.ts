import { setTimeout as sleep } from "node:timers/promises";
import type { SessionCommand } from "../../contract/commands.ts";
import { BelayError } from "../../contract/errors.ts";
import type { SuspendReason } from "../../contract/vocabulary.ts";
import { mostAgents } from "../../core/agent-line.ts";
import { needsIsolation, refuseAgents } from "../../core/people.ts";
import { settleCalls } from "../../core/recovery/plan-recovery.ts";
import { isSessionHead } from "../../core/session/known-events.ts";
import { suspendWith } from "../../core/session/suspend-with.ts";
import type { SharedChange } from "../../service/change-sessions.ts";
import { changeSessions } from "../../service/change-sessions.ts";
import { readConversationState } from "../../service/read/conversation-state.ts";
import { findPerson } from "../../service/read/find-person.ts";
import type { FoundSession } from "../../service/read/find-session.ts";
import type { Caller, Drive } from "../../service/service-context.ts";
import { loadStream } from "../../store/read-streams.ts";
import type { AgentProfile } from "../agents/agent-profile.ts";
import { findContinuation } from "../recovery/recover-session.ts";
import { AgentQueue } from "./agent-queue.ts";
import { CALL_PATIENCE_MS } from "./node-routing.ts";
import { planShutdown } from "./plan-shutdown.ts";
import type { RunContext } from "./run-context.ts";
import { findAgentFor, findAgentOf } from "./run-context.ts";
import { SessionDriver } from "./session-driver.ts";

/** The time that a turn gets to end when its session is suspended from here. */
const QUIET_MS = 3000;

/** The sessions that this process drives. */
export class Drivers {
  readonly #run: RunContext;
  readonly #drivers = new Map<string, SessionDriver>();
  readonly #starting = new Map<string, Promise<void>>();
  /** New sessions that were allowed to wait before they were created. */
  readonly #admitted = new Set<string>();
  readonly queue: AgentQueue;
  #reaper: NodeJS.Timeout | undefined;
  #closing = false;
  #isLeaving = false;

  constructor(run: RunContext) {
    this.#run = run;
    this.queue = new AgentQueue({
      slots: run.limits.max_agents,
      agents: () => this.#drivers.values(),
      watch: (id) => run.store.watch(() => void this.#recheck(id), id),
      onGranted: (id) => void this.#startGranted(id),
      onTick: () => this.#shareLine(),
    });
  }

  /** Null if this process does not drive the session; otherwise resolves when it stops driving it. */
  left(id: string): Promise<void> | null {
    return this.#drivers.get(id)?.left ?? null;
  }

  /** Finds the session's agent, unless the session is driven. Throws if it cannot be run here. */
  async prepare({ stream, head }: FoundSession): Promise<Drive> {
    if (this.#drivers.has(stream.id) || stream.lease?.live) return (found) => this.drive(found);
    const agent = await findAgentOf(this.#run, head);
    const isAdmitted = this.#admitted.delete(stream.id);
    if (this.#run.routing.choose(head, this.room())) return (found) => this.drive(found);
    if (!isAdmitted && !this.queue.has(stream.id)) this.#expectRoom(head.owner);
    return (found) => this.drive(found, agent);
  }

  /**
   * Finds an agent for a new session. Throws if it cannot be run here. The returned function takes the session's id, so
   * that its first message is not refused afterwards.
   */
  async admit(owner: string, name: string, cwd: string): Promise<(id: string) => void> {
    await findAgentFor(this.#run, owner, name, cwd);
    if (!this.#run.routing.findRoom(this.room())) this.#expectRoom(owner);
    return (id) => {
      // Only a message that was refused for another reason leaves an id behind.
      if (this.#admitted.size >= MOST_ADMITTED) this.#admitted.clear();
      this.#admitted.add(id);
    };
  }

  #expectRoom(owner: string): void {
    const refused = this.queue.refuse(owner);
    if (refused) throw new BelayError(refused);
  }

  /**
   * Makes sure that the session's messages are worked on: by the current driver, or else by the node that is chosen to
   * drive it. Throws if that is this process and the agent cannot be run here.
   */
  async drive(found: FoundSession, agent?: AgentProfile): Promise<void> {
    const { id, lease } = found.stream;
    const ours = this.#drivers.get(id);
    if (ours) return ours.session.notify();
    if (lease?.live || this.#closing) return;
    const node = agent ? null : this.#run.routing.choose(found.head, this.room());
    if (node && (await this.#run.routing.call(node, id))) {
      // If that node does not take the session, this one does.
      setTimeout(() => void this.#returnIfNeeded(id), LATE_MS).unref();
      return;
    }
    // The session waits there, because its agent's files are there.
    if (node && node.room <= 0) return;
    if (!this.#isLeaving) await this.#driveHere(found, agent);
  }

  /** Drives sessions that another node left to this one. */
  async takeOver(ids: readonly string[]): Promise<void> {
    // At the same time: a node that has just started is asked to drive many sessions at once.
    await Promise.all(ids.map((id) => this.#takeOverOne(id).catch(() => {})));
  }

  async #takeOverOne(id: string): Promise<void> {
    const stream = await loadStream(this.#run.store, { id });
    if (!stream || !isSessionHead(stream.head) || stream.lease?.live) return;
    if (!this.#isLeaving) await this.#driveHere({ stream, head: stream.head });
  }

  /** The number of agents that can still be started here; idle ones give way. Negative while this node leaves. */
  room(): number {
    return this.#isLeaving ? -1 : this.queue.room();
  }

  /** Starts a driver. A session with a message waits in line first, unless interrupted work must be settled. */
  async #driveHere(found: FoundSession, agent?: AgentProfile): Promise<void> {
    const { head, stream } = found;
    // Everyone who follows the session asks for this every second.
    if (this.queue.isWaiting(stream.id)) return;
    const profile = agent ?? (await findAgentOf(this.#run, head));
    const isSettled = head.turn === null && head.queue.length > 0;
    if (isSettled && !this.queue.enter(stream.id, head.owner)) return;
    await this.#start(found, profile);
  }

  async #start(found: FoundSession, profile: AgentProfile): Promise<void> {
    const { id } = found.stream;
    const starting = this.#starting.get(id) ?? this.#startDriver(found, profile);
    this.#starting.set(id, starting);
    await starting.finally(() => {
      this.#starting.delete(id);
      if (!this.#drivers.has(id)) this.queue.leave(id);
    });
  }

  /** A session that waited in line has got a slot. */
  async #startGranted(id: string): Promise<void> {
    const driver = this.#drivers.get(id);
    if (driver) return driver.session.notify();
    if (this.#isLeaving) {
      this.queue.leave(id);
      return this.#returnIfNeeded(id);
    }
    try {
      const found = this.#closing ? null : await this.#findDue(id);
      if (found) await this.#start(found, await findAgentOf(this.#run, found.head));
      else this.queue.leave(id);
    } catch {
      // A follower of the session or the chore for waiting messages tries again, and reports it.
      this.queue.leave(id);
    }
  }

  /** A session that waits in line has changed: it may have been cancelled, or be driven by another process. */
  async #recheck(id: string): Promise<void> {
    if (this.#drivers.has(id) || this.#starting.has(id)) return;
    const found = await this.#findDue(id).catch(() => undefined);
    if (found === null && !this.#drivers.has(id)) this.queue.leave(id);
  }

  /** Offers the first sessions in line to nodes that have room. */
  #shareLine(): void {
    const room = this.#run.routing.roomElsewhere();
    if (room === 0) return;
    for (const id of this.queue.waiting().slice(0, room)) void this.#returnIfNeeded(id);
  }

  async #startDriver(found: FoundSession, agent: AgentProfile): Promise<void> {
    const { id } = found.stream;
    if (this.#drivers.has(id)) return;
    const driver = await this.#acquireLease(found, agent);
    if (!driver) return;
    this.#drivers.set(id, driver);
    if (this.#closing) void driver.leave("closed");
    this.#reaper ??= this.#startReaping();
    driver.left
      .catch(() => undefined)
      .then(() => this.#drivers.delete(id))
      .then(() => this.#returnIfNeeded(id));
  }

  /** Null if another process was faster; that process then works on it. */
  async #acquireLease(found: FoundSession, agent: AgentProfile): Promise<SessionDriver | null> {
    const { id } = found.stream;
    const { owner } = found.head;
    try {
      return await SessionDriver.start(this.#run, found, agent, {
        enter: () => this.queue.enter(id, owner),
        leave: () => this.queue.leave(id),
        onAsking: () => this.queue.settle(),
        makeRoom: (take) => this.#makeRoom(id, take),
      });
    } catch (error) {
      if (error instanceof BelayError && error.code === "session_held") return null;
      throw error;
    }
  }

  /** Suspends sessions that are driven here, then ends their agents. */
  suspend(caller: Caller, reason: SuspendReason, ids: readonly string[]): Promise<void> {
    const chosen = ids.flatMap((id) => this.#drivers.get(id) ?? []);
    return this.#suspend(caller, reason, chosen, []);
  }

  /**
   * Suspends all sessions that are driven here, and those of `served` that are not driven, together. Then it ends the
   * agents.
   */
  suspendAll(caller: Caller, reason: SuspendReason, served: Iterable<string> = []): Promise<void> {
    this.queue.pause();
    // A session that waits for an agent has nothing to suspend: the next server continues it.
    const waiting = new Set(this.queue.waiting());
    const others = [...new Set(served)].filter((id) => !this.#drivers.has(id) && !waiting.has(id));
    return this.#suspend(caller, reason, [...this.#drivers.values()], others);
  }

  /**
   * Leaves all sessions to other nodes: interrupts their turns, ends their agents, and asks other nodes to continue. A
   * session with a question about its interrupted work is suspended.
   */
  async handOver(caller: Caller): Promise<void> {
    this.#isLeaving = true;
    this.#run.routing.leave();
    const chosen = [...this.#drivers.values()];
    const continuations = new Map<SessionDriver, SessionCommand | null>();
    for (const driver of chosen) {
      const now = await driver.session.load().catch(unlessLost);
      const { id } = driver.session;
      continuations.set(driver, now && (await findContinuation(this.#run, id, now.head)));
    }
    await this.#suspend(caller, "shutdown", chosen, [], continuations);
    // Now that the leases are free.
    const ids = [...chosen.map(({ session }) => session.id), ...this.queue.waiting()];
    await Promise.all(ids.map((id) => this.#returnIfNeeded(id)));
  }

  async #suspend(
    caller: Caller,
    reason: SuspendReason,
    chosen: readonly SessionDriver[],
    undriven: readonly string[],
    continuations: ReadonlyMap<SessionDriver, SessionCommand | null> = new Map(),
  ): Promise<void> {
    await Promise.all(chosen.map((driver) => Promise.race([driver.quiet(), sleep(QUIET_MS)])));
    try {
      const driven = await Promise.all(
        chosen.map((driver) => this.#planDriven(driver, reason, continuations.get(driver))),
      );
      const served = await planShutdown(this.#run, undriven, reason);
      await changeSessions(this.#run, caller, [...driven.flat(), ...served]);
    } finally {
      const why = this.#isLeaving ? "closed" : "suspended";
      await Promise.allSettled(chosen.map((driver) => driver.leave(why)));
    }
  }

  /** With a continuation, even with none, the session is not suspended unless a person must decide. */
  async #planDriven(
    driver: SessionDriver,
    reason: SuspendReason,
    continuation: SessionCommand | null | undefined,
  ): Promise<SharedChange[]> {
    const { id, owner, task_id, epoch } = driver.session;
    const now = await driver.session.load().catch(unlessLost);
    // A driver that has left its session meanwhile must not block the others.
    if (!now) return [];
    const { stream, head } = now;
    const found = { id, seq: stream.seq, head };
    const state = await readConversationState(this.#run.store, found, reason);
    const checkpoint_id = this.#run.newId();
    const approval_id = this.#run.newId();
    const commands = (now: typeof head): SessionCommand[] => {
      const cut = now.turn ? settleCalls(now, driver.openCalls(), approval_id) : NOTHING_CUT;
      if (continuation !== undefined && !cut.question) {
        const isCut = now.turn !== null || driver.wasStopped;
        return [...cut.commands, ...(isCut && continuation ? [continuation] : [])];
      }
      return [
        ...cut.commands,
        ...suspendWith(state, reason, checkpoint_id),
        ...(cut.question ? [cut.question] : []),
      ];
    };
    return [{ id, owner, task_id, epoch, commands }];
  }

  /** Suspends sessions whose owner may no longer run agents, and ends these agents. Returns how many. */
  async endRefused(caller: Caller): Promise<number> {
    const { store, members } = this.#run;
    const refused: SessionDriver[] = [];
    for (const driver of this.#drivers.values()) {
      const { owner } = driver.session;
      const person = await findPerson(store, owner);
      const isExposed = needsIsolation(person) && driver.runsElsewhere;
      if (isExposed || refuseAgents(owner, person, members !== null)) refused.push(driver);
    }
    if (refused.length > 0) await this.#suspend(caller, "user_requested", refused, []);
    return refused.length;
  }

  /** Ends all agents of this process. Sessions keep their status. */
  async close(): Promise<void> {
    this.#closing = true;
    clearInterval(this.#reaper);
    this.queue.close();
    const leaving = [...this.#drivers.values()].map((driver) => driver.leave("closed"));
    await Promise.allSettled(leaving);
  }

  /** Ends agents that were idle for long. Returns how many. */
  async reap(): Promise<number> {
    const { idle } = this.#run.limits;
    const due = this.#byIdleness().filter(({ since }) => this.#run.now() - since >= idle);
    await Promise.allSettled(due.map(({ driver }) => driver.leave("idle")));
    return due.length;
  }

  /** The agent that was idle longest makes room for one that is needed now. */
  async #makeRoom(id: string, take: () => void): Promise<void> {
    for (let first = this.#givesWay(id); first; first = this.#givesWay(id)) {
      await first.leave("gave_way");
    }
    take();
  }

  /** The idle driver that must make room before this session's agent can start; null if there is room, or none is idle. */
  #givesWay(id: string): SessionDriver | null {
    const { max_agents } = this.#run.limits;
    const others = [...this.#drivers.values()].filter(({ session }) => session.id !== id);
    const running = others.filter(({ runs }) => runs);
    const asking = running.filter(({ state }) => state === "asking").length;
    const isRoom = running.length - asking < max_agents && running.length < mostAgents(max_agents);
    if (isRoom) return null;
    const idle = this.#byIdleness().find(
      ({ driver }) => running.includes(driver) && !this.queue.isStarting(driver.session.id),
    );
    return idle?.driver ?? null;
  }

  #byIdleness(): { driver: SessionDriver; since: number }[] {
    return [...this.#drivers.values()]
      .flatMap((driver) => {
        const since = driver.idleSince;
        return since === null ? [] : [{ driver, since }];
      })
      .sort((a, b) => a.since - b.since);
  }

  /** A message may have been queued while this driver was leaving. */
  async #returnIfNeeded(id: string): Promise<void> {
    if (this.#drivers.has(id) || this.#starting.has(id)) return;
    try {
      const found = this.#closing ? null : await this.#findDue(id);
      if (this.#drivers.has(id) || this.#starting.has(id)) return;
      if (found) await this.drive(found);
      else this.queue.leave(id);
    } catch {
      this.queue.leave(id);
    }
  }

  /** The session if it has a message that no process works on. */
  async #findDue(id: string): Promise<FoundSession | null> {
    const stream = await loadStream(this.#run.store, { id });
    if (!stream || !isSessionHead(stream.head) || stream.lease?.live) return null;
    const { head } = stream;
    const isActive = head.status === "active" && head.deleted === null;
    return isActive && head.queue.length > 0 ? { stream, head } : null;
  }

  #startReaping(): NodeJS.Timeout {
    return setInterval(() => void this.reap(), this.#run.limits.reap_every).unref();
  }
}

function unlessLost(error: unknown): null {
  if (error instanceof BelayError && error.code === "lease_lost") return null;
  throw error;
}

const MOST_ADMITTED = 1000;
const LATE_MS = CALL_PATIENCE_MS + 100;

const NOTHING_CUT = { commands: [], question: null } as const;
