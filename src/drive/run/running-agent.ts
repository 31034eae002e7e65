import type {
  AgentListener,
  PermissionAnswer,
  PermissionRequest,
  PromptEnd,
} from "../../agent/agent-connection.ts";
import { AgentFailure } from "../../agent/agent-connection.ts";
import type { ApprovalChoice } from "../../contract/approval/approval-choice.ts";
import type { SessionCommand } from "../../contract/commands.ts";
import { BelayError } from "../../contract/errors.ts";
import type { SessionHead } from "../../contract/head.ts";
import { LIMITS } from "../../contract/limits.ts";
import { judgePermission } from "../../core/recovery/judge-effects.ts";
import { chooseOption, isRejecting } from "../../core/session/choose-option.ts";
import { isRefusal } from "../../core/session/decision.ts";
import type { StoredRedaction } from "../../redaction/stored-redaction.ts";
import type { AgentProfile } from "../agents/agent-profile.ts";
import { permissionQuestion, readAnswer } from "./ask-permission.ts";
import type { Reopened } from "./brief-agent.ts";
import type { DrivenSession } from "./driven-session.ts";
import type { OpenedAgent } from "./open-agent.ts";
import { openAgent } from "./open-agent.ts";
import { Recorder } from "./recorder.ts";
import { folderOf, type RunContext } from "./run-context.ts";
import type { CancelReason } from "./turn-end.ts";

/** The turn that an agent is opened for, and the seq of the log at its start. */
export interface BegunTurn {
  readonly id: string;
  readonly seq: number;
}

interface WorkListener {
  /** The agent's work can no longer be stored. */
  onFailure(error: unknown): void;
  /** The agent asks a person, or was answered. */
  onAsking(): void;
}

/** An agent's process with its session open; it records all of the agent's work. */
export class RunningAgent {
  readonly recorder: Recorder;
  /** The way in which it reopened its session; null once the agent has received its notes. */
  reopened: Reopened | null = null;
  /** The time of the agent's last output. */
  heard: number;
  /** True if the process exited by itself. */
  died = false;
  readonly #run: RunContext;
  readonly #session: DrivenSession;
  readonly #profile: AgentProfile;
  readonly #work: WorkListener;
  #opened: OpenedAgent | null = null;
  #asking = 0;

  private constructor(
    run: RunContext,
    session: DrivenSession,
    profile: AgentProfile,
    work: WorkListener,
    redaction: StoredRedaction | undefined,
  ) {
    this.#run = run;
    this.#session = session;
    this.#profile = profile;
    this.#work = work;
    this.heard = run.now();
    this.recorder = new Recorder({
      write: (commands) => session.writeUnlessSuperseded(commands),
      publish: (delta) => run.live.publish(session.id, delta),
      stored: (item, upTo, seq) => run.live.stored(session.id, item, upTo, seq),
      newId: run.newId,
      onFailure: (error) => work.onFailure(error),
      effects: profile.effects,
      redaction,
      flush: run.limits.flush,
    });
  }

  /** Starts the agent and records that it runs; if this fails, no process is left. */
  static async open(
    run: RunContext,
    session: DrivenSession,
    profile: AgentProfile,
    head: SessionHead,
    turn: BegunTurn,
    work: WorkListener,
    signal: AbortSignal,
  ): Promise<RunningAgent> {
    const { deadline, id: marker } = session;
    const launch = { ...profile.launchFor(session.session_id, folderOf(head)), marker, deadline };
    const redaction = await session.redactFor(launch.env);
    const agent = new RunningAgent(run, session, profile, work, redaction);
    const hasPast = head.counts.turns > 0;
    const opened = await openAgent(run, launch, agent.#listener(turn), head.agent, hasPast, signal);
    agent.#opened = opened;
    try {
      await agent.#introduce(opened, head);
      return agent;
    } catch (error) {
      await opened.connection.end();
      throw error;
    }
  }

  /** The number of questions to a person that it waits for. */
  get asking(): number {
    return this.#asking;
  }

  get sandbox_of(): string | null {
    return this.#profile.sandbox_of;
  }

  get connection(): OpenedAgent["connection"] {
    if (!this.#opened) throw new Error("the agent has not been opened");
    return this.#opened.connection;
  }

  /** Resolves when the agent has stopped. An agent that does not stop on request is ended. */
  async prompt(text: string, turn: AbortController): Promise<PromptEnd> {
    const { connection } = this;
    this.heard = this.#run.now();
    const silence = this.#profile.turn_silence_ms;
    const watchdog = setInterval(
      () => {
        const works = this.recorder.openCalls().some((call) => call.running);
        if (this.asking > 0) this.heard = this.#run.now();
        else if (this.#run.now() - this.heard > silence * (works ? TOOL_PATIENCE : 1)) {
          stopTurn(turn, "silence");
        }
      },
      Math.min(1000, silence / 4),
    );
    let patience: NodeJS.Timeout | undefined;
    const stop = (): void => {
      void connection.cancel().catch(() => {});
      patience = setTimeout(() => void connection.end(), this.#run.limits.cancel);
    };
    turn.signal.addEventListener("abort", stop, { once: true });
    try {
      const prompted = connection.prompt(text);
      if (turn.signal.aborted) stop();
      return await prompted;
    } finally {
      clearInterval(watchdog);
      clearTimeout(patience);
      turn.signal.removeEventListener("abort", stop);
      await this.recorder.settle();
    }
  }

  async end(): Promise<void> {
    await this.connection.end();
    await this.recorder.settle();
    this.recorder.stop();
  }

  async #introduce(opened: OpenedAgent, head: SessionHead): Promise<void> {
    const { connection, way } = opened;
    const reopens = connection.reopens.load || connection.reopens.resume;
    const { place } = this.#run.routing;
    // An id that is too long to store cannot be used to reopen the session.
    const keeps = Buffer.byteLength(opened.agent_session_id) < LIMITS.AGENT_SESSION;
    this.reopened = {
      way,
      clean: head.agent?.clean ?? true,
      replayed: way === "load" ? opened.replayed : null,
      setbacks: opened.setbacks,
    };
    if (way === "resume" || way === "load") this.recorder.expectCost(head.usage.cost_usd);
    await this.#session.write([
      {
        type: "note_agent_started",
        agent_session_id: keeps ? opened.agent_session_id : "",
        way,
        process: connection.process,
        reopens: reopens && keeps,
        ...(place !== undefined && { place }),
      },
    ]);
  }

  #listener(turn: BegunTurn): AgentListener {
    return {
      notice: (text) => {
        this.recorder.beginTurn(turn.id, turn.seq);
        this.recorder.note(text);
      },
      update: (update) => {
        this.heard = this.#run.now();
        return this.recorder.hear(update);
      },
      permission: (request, signal) => this.#permit(request, signal),
    };
  }

  async #permit(request: PermissionRequest, signal: AbortSignal): Promise<PermissionAnswer> {
    const action_id = this.recorder.actionOf(request.call);
    const question = permissionQuestion(request, this.#run.newId(), action_id);
    const policy = judgePermission(request.call.tool_kind, this.#profile.permissions);
    const ruled = policy === "ask" ? null : chooseOption({ decision: POLICIES[policy] }, question);
    // If the settings allow it and the agent offers several ways, a person chooses.
    if (ruled && !isRefusal(ruled)) return ruled.choice;
    this.recorder.awaitLeave(action_id, true);
    this.#ask(1);
    try {
      await this.recorder.settle();
      const choice = await this.#decide(question, signal);
      // Without permission the call never starts, whatever happens to its agent.
      if (choice && !isRejecting(choice.kind)) this.recorder.awaitLeave(action_id, false);
      return choice;
    } finally {
      this.heard = this.#run.now();
      this.#ask(-1);
    }
  }

  #ask(change: number): void {
    this.#asking += change;
    this.#work.onAsking();
  }

  /** The option that a person chose; null if there is none. */
  async #decide(
    question: SessionCommand<"request_approval">,
    signal: AbortSignal,
  ): Promise<ApprovalChoice | null> {
    const { approval_id } = question;
    const head = await this.#put(question, signal);
    if (!head) return null;
    const seq = head.approvals.find((open) => open.id === approval_id)?.seq;
    if (seq === undefined) throw new AgentFailure("protocol", "the question was not stored");
    if (await this.#answered(approval_id, signal)) {
      return readAnswer(this.#run.store, this.#session.id, question, seq);
    }
    const reason = "interrupted; the agent no longer waits for it";
    await this.#session.writeUnlessSuperseded([{ type: "expire_approval", approval_id, reason }]);
    return null;
  }

  /** Waits while too many questions are open; null if the agent stops waiting first. */
  async #put(question: SessionCommand, signal: AbortSignal): Promise<SessionHead | null> {
    while (!signal.aborted) {
      const { promise: changed, resolve: look } = Promise.withResolvers<void>();
      const stopLooking = this.#session.onChange(look);
      signal.addEventListener("abort", () => look());
      try {
        return (await this.#session.write([question])).head;
      } catch (error) {
        if (!(error instanceof BelayError) || error.code !== "limit_reached") throw error;
        await changed;
      } finally {
        stopLooking();
      }
    }
    return null;
  }

  /** False if the agent stops waiting first. */
  #answered(approval_id: string, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const settle = (how: () => void): void => {
        stopLooking();
        signal.removeEventListener("abort", abort);
        how();
      };
      const look = (): void => {
        this.#session.load().then(
          ({ head }) => {
            if (head.approvals.every((open) => open.id !== approval_id))
              settle(() => resolve(true));
          },
          (error: unknown) => settle(() => reject(error)),
        );
      };
      const abort = (): void => settle(() => resolve(false));
      const stopLooking = this.#session.onChange(look);
      signal.addEventListener("abort", abort);
      if (signal.aborted) abort();
      else look();
    });
  }
}

/** The decision that a setting makes without a person. */
const POLICIES = { allow: "approved", deny: "rejected" } as const;

/** Tools may run for long without output, so they get this many times the usual limit. */
const TOOL_PATIENCE = 6;

export function stopTurn(turn: AbortController, reason: CancelReason): void {
  if (!turn.signal.aborted) turn.abort(reason);
}
