import type { SessionCommand } from "../../contract/commands.ts";
import type { SessionHead } from "../../contract/head.ts";
import type { Parsed } from "../../contract/operations.ts";
import type { RunEvent } from "../../contract/run-event.ts";
import type { SuspendReason } from "../../contract/vocabulary.ts";
import { createRunEvents } from "../../core/view/run-events.ts";
import { changeSession } from "../../service/change-session.ts";
import { approvalOperations } from "../../service/operations/approval-operations.ts";
import { sessionOperations } from "../../service/operations/session-operations.ts";
import type { FoundSession } from "../../service/read/find-session.ts";
import { findSession } from "../../service/read/find-session.ts";
import { knownEvent } from "../../service/read/read-head-at.ts";
import type { Caller } from "../../service/service-context.ts";
import { readEvents } from "../../store/read-streams.ts";
import { expectDriver } from "../expect-driver.ts";
import { withPositions } from "../live/with-positions.ts";
import { answerRecovery } from "../recovery/answer-recovery.ts";
import type { Drivers } from "./drivers.ts";
import { ensureDriven } from "./ensure-driven.ts";
import type { RunContext } from "./run-context.ts";
import { watchSession } from "./watch-session.ts";

/** A conversation with an agent through its session, whichever process drives it. */
export class AgentConversation {
  readonly session_id: string;
  /** Its entity id: after a purge, the session id could name another session. */
  readonly #id: string;
  readonly #run: RunContext;
  readonly #drivers: Drivers;
  readonly #caller: Caller;
  readonly #closed = new AbortController();
  readonly #from: number;
  readonly #pending: SessionHead["approvals"];
  /** The events from now on, starting with the open questions. Ends with `close`. */
  readonly events: AsyncIterable<RunEvent>;
  #failure: unknown;

  private constructor(run: RunContext, drivers: Drivers, caller: Caller, found: FoundSession) {
    this.#run = run;
    this.#drivers = drivers;
    this.#caller = caller;
    this.#id = found.stream.id;
    this.#from = found.stream.seq;
    this.#pending = found.head.approvals;
    this.session_id = found.head.session_id;
    this.events = this.#follow();
  }

  static async open(
    run: RunContext,
    drivers: Drivers,
    caller: Caller,
    id: string,
  ): Promise<AgentConversation> {
    return new AgentConversation(run, drivers, caller, await findSession(run, caller.owner, id));
  }

  /** Resumes a suspended session, and settles the work that a dead driver left open. */
  async resume(): Promise<void> {
    const found = await this.#find();
    const { head } = found;
    const drive = await expectDriver(this.#drivers, found);
    const asks = head.approvals.some((approval) => approval.kind === "recovery");
    if (head.status === "suspended" && !asks) {
      await this.#change({ type: "resume", interface: this.#caller.interface });
    }
    if (head.status !== "suspended" || !asks) await drive(await this.#find());
  }

  /** Queues a message durably, and makes sure that a driver answers it. */
  async send(content: string): Promise<string> {
    const drive = await expectDriver(this.#drivers, await this.#find());
    const turn_id = await this.post(content);
    await drive(await this.#find());
    return turn_id;
  }

  /** Queues a message for the next driver of the session. */
  async post(content: string): Promise<string> {
    const turn_id = this.#run.newId();
    const { interface: door } = this.#caller;
    await this.#change({ type: "send_message", turn_id, content, interface: door });
    return turn_id;
  }

  async *#follow(): AsyncGenerator<RunEvent> {
    const toRunEvents = createRunEvents(this.session_id);
    for (const { seq } of this.#pending) {
      const [stored] = await readEvents(this.#run.store, this.#id, { after: seq - 1, limit: 1 });
      if (stored) yield* toRunEvents(knownEvent(stored));
    }
    const over = new AbortController();
    const signal = AbortSignal.any([this.#closed.signal, over.signal]);
    const { session_id } = this;
    const find = () => this.#find();
    const stopKeeping = ensureDriven(this.#drivers, find, (error) => this.#fail(error));
    try {
      const items = watchSession(this.#run, this.#run.live, this.#id, this.#from, signal);
      for await (const item of withPositions(this.#drivers.queue, this.#id, items)) {
        if ("position" in item) yield { ...item, session_id };
        else yield* toRunEvents(item);
      }
      if (this.#failure !== undefined) throw this.#failure;
    } finally {
      over.abort();
      stopKeeping();
    }
  }

  async answer(
    approval_id: string,
    answer: Pick<Parsed<"decide_approval">, "option" | "decision"> & { readonly always?: boolean },
  ): Promise<void> {
    const input = { approval_id, always: false, ...answer };
    await approvalOperations.decide_approval(this.#run, input, this.#caller);
  }

  /** Continues the session after a recovery question. */
  async continue(approval_id: string): Promise<void> {
    await answerRecovery(this.#run, this.#caller, approval_id, "continue", false);
    await this.resume();
  }

  /** With a turn, only that one: the running one, or the only one that waits. */
  async interrupt(turn_id?: string): Promise<void> {
    const { turn, queue } = (await this.#find()).head;
    const [next, ...others] = turn ? [turn] : queue;
    if (turn_id !== undefined && (next?.id !== turn_id || others.length > 0)) return;
    await this.#change({ type: "interrupt" });
  }

  async suspend(reason: SuspendReason = "user_requested"): Promise<void> {
    if (this.#drivers.left(this.#id)) {
      await this.#drivers.suspend(this.#caller, reason, [this.#id]);
    } else {
      await sessionOperations.suspend(this.#run, { id: this.#id, reason }, this.#caller);
    }
  }

  /** Completes the session once every message queued by then, by any process, is answered. */
  async complete(summary: string | null = null): Promise<void> {
    const finalize = { type: "finalize", outcome: "completed", summary, error: null } as const;
    const commands = (head: SessionHead | null) =>
      head?.status === "active" && (head.turn || head.queue.length > 0) ? [] : [finalize];
    for (;;) {
      const changed = Promise.withResolvers<void>();
      const stop = this.#run.store.watch(() => changed.resolve(), this.#id);
      try {
        const by = { id: this.#id, commands };
        const { head } = await changeSession(this.#run, this.#caller, by);
        if (head.status !== "active") break;
        await changed.promise;
      } finally {
        stop();
      }
    }
    await this.#drivers.left(this.#id);
  }

  /** Stops listening; the session and its agent continue. */
  close(): void {
    this.#closed.abort();
  }

  #find(): Promise<FoundSession> {
    return findSession(this.#run, this.#caller.owner, this.#id);
  }

  async #change(command: SessionCommand): Promise<void> {
    const commands = () => [command];
    await changeSession(this.#run, this.#caller, { id: this.#id, commands });
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    this.close();
  }
}
