import type { Deadline } from "../../agent/agent-connection.ts";
import type { SessionCommand } from "../../contract/commands.ts";
import type { ErrorCode } from "../../contract/errors.ts";
import { BelayError, refuse } from "../../contract/errors.ts";
import type { SessionHead } from "../../contract/head.ts";
import { CLOSED } from "../../contract/operations/operation.ts";
import { isSessionHead } from "../../core/session/known-events.ts";
import { readMachineUptime } from "../../process/read-proc.ts";
import type { StoredRedaction } from "../../redaction/stored-redaction.ts";
import type { ChangedSession } from "../../service/change-session.ts";
import { changeSession } from "../../service/change-session.ts";
import type { FoundSession } from "../../service/read/find-session.ts";
import { redactCommands } from "../../service/redact/redact-commands.ts";
import type { Caller } from "../../service/service-context.ts";
import { type LeaseRenewal, startLeaseRenewal } from "../../service/start-lease-renewal.ts";
import { loadStream } from "../../store/read-streams.ts";
import type { GrantedLease, StoredStream } from "../../store/stream-store.ts";
import type { RunContext } from "./run-context.ts";
import { storeOutputs } from "./store-outputs.ts";

/** A session as its driver sees it: written under the lease, and read again after every change. */
export class DrivenSession {
  readonly id: string;
  readonly session_id: string;
  readonly owner: string;
  readonly task_id: string;
  /** The agent that the driver runs. */
  readonly agent_name: string;
  readonly epoch: number;
  readonly #run: RunContext;
  readonly #caller: Caller;
  readonly #listeners = new Set<() => void>();
  readonly #stopWatching: () => void;
  readonly #renewal: LeaseRenewal;
  #redaction: StoredRedaction | undefined;

  constructor(run: RunContext, { stream, head }: FoundSession, grant: GrantedLease) {
    this.#run = run;
    this.id = stream.id;
    this.session_id = head.session_id;
    this.owner = head.owner;
    this.task_id = head.task_id;
    this.agent_name = head.agent_name;
    this.epoch = grant.epoch;
    this.#caller = {
      owner: head.owner,
      actor: `agent:${head.agent_name}`,
      interface: head.interface,
      trace_id: run.newId(),
    };
    this.#stopWatching = run.store.watch(() => this.notify(), this.id);
    this.#renewal = startLeaseRenewal(run.store, this.id, grant, () => this.notify());
  }

  /** The agent must not run after this time; undefined if the lease lasts as long as this process. */
  get deadline(): Deadline | undefined {
    return this.#renewal.deadline;
  }

  /** True if the agent must not run, because the lease was not renewed in time. */
  get isLate(): boolean {
    const { deadline } = this;
    return deadline !== undefined && readMachineUptime().up_ms >= deadline.at;
  }

  async load(): Promise<{ readonly stream: StoredStream; readonly head: SessionHead }> {
    const stream = await loadStream(this.#run.store, { id: this.id });
    if (!stream || !isSessionHead(stream.head)) {
      throw new BelayError(refuse("session_not_found", `${this.session_id} no longer exists.`));
    }
    if (stream.lease?.epoch !== this.epoch || !stream.lease.live) {
      throw new BelayError(
        refuse("lease_lost", `This process no longer runs ${this.session_id}. Stop writing to it.`),
      );
    }
    return { stream, head: stream.head };
  }

  /** From now on, also replaces the secrets among the variables that were given to the agent. */
  async redactFor(
    variables: Readonly<Record<string, string>>,
  ): Promise<StoredRedaction | undefined> {
    this.#redaction = await this.#run.redaction?.(variables);
    return this.#redaction;
  }

  async write(given: readonly SessionCommand[]): Promise<ChangedSession> {
    // Before long outputs are stored beside the log.
    const redaction = this.#redaction ?? (await this.#run.redaction?.());
    const hidden = redactCommands(redaction, given, "cut");
    const commands = await storeOutputs(this.#run.store, this.id, hidden);
    return changeSession(this.#run, this.#caller, {
      id: this.session_id,
      epoch: this.epoch,
      commands: () => commands,
    });
  }

  /**
   * Writes the commands unless another process has finished the session, which closes the turn and its actions. Returns
   * the seq of the log.
   */
  async writeUnlessSuperseded(commands: readonly SessionCommand[]): Promise<number> {
    try {
      return (await this.write(commands)).stream.seq;
    } catch (error) {
      if (!isOvertaken(error)) throw error;
      if (commands.length === 1) return (await this.load()).stream.seq;
    }
    let seq = 0;
    for (const command of commands) seq = await this.writeUnlessSuperseded([command]);
    return seq;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  notify(): void {
    for (const listener of this.#listeners) listener();
  }

  /** A lost lease is not released: it shows that its driver did not finish. */
  async release(isLost: boolean): Promise<void> {
    this.#stopWatching();
    if (isLost) this.#renewal.stop();
    else await this.#renewal.release();
  }
}

/** Refusals that mean that another process has ended the work first. */
const OVERTAKEN: ReadonlySet<ErrorCode> = new Set([
  "turn_not_found",
  "action_not_found",
  "action_exists",
  "limit_reached",
  ...CLOSED,
  "session_suspended",
  // The session was handed to another agent.
  "session_held",
]);

/** True if the session changed since the caller last read it. */
export function isOvertaken(error: unknown): boolean {
  return error instanceof BelayError && OVERTAKEN.has(error.code);
}
