import { setTimeout as sleep } from "node:timers/promises";
import { methods, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";
import type { Process } from "../../contract/action/intent.ts";
import type {
  AgentConnection,
  AgentExit,
  AgentLaunch,
  AgentListener,
  AgentStarter,
  OpenedSession,
  OpenWay,
  PermissionAnswer,
  PromptEnd,
} from "../agent-connection.ts";
import { AgentFailure } from "../agent-connection.ts";
import { loginHint } from "./agent-failures.ts";
import { AgentPeer } from "./agent-peer.ts";
import { applyMode } from "./apply-mode.ts";
import { endAgent } from "./end-agent.ts";
import { mergeToolCall } from "./merge-tool-call.ts";
import { openSession, waitForNextMinute } from "./open-session.ts";
import { readOptions, toOutcome, toRequest } from "./permissions.ts";
import { fieldsOf } from "./read-fields.ts";
import { readPromptEnd } from "./read-prompt-end.ts";
import type { Replay } from "./replay.ts";
import type { PromptTurn } from "./session-feed.ts";
import { SessionFeed } from "./session-feed.ts";
import type { AgentProcess } from "./spawn-agent.ts";
import { spawnAgent } from "./spawn-agent.ts";
import { isSettledWithin } from "./within.ts";

/** One running agent. Usable once `initialize` has resolved. */
class AcpConnection implements AgentConnection {
  readonly process: Process;
  readonly marker: string;
  readonly exited: Promise<AgentExit>;
  reopens = { resume: false, load: false };
  readonly #launch: AgentLaunch;
  readonly #listener: AgentListener;
  readonly #now: () => number;
  readonly #peer: AgentPeer;
  readonly #feed: SessionFeed;
  readonly #ending = new AbortController();
  #ended: Promise<void> | null = null;
  #closes = false;
  #used = { input_tokens: 0, output_tokens: 0 };

  constructor(
    process: AgentProcess,
    launch: AgentLaunch,
    listener: AgentListener,
    now: () => number,
  ) {
    this.process = process.process;
    this.marker = launch.marker;
    this.#launch = launch;
    this.#listener = listener;
    this.#now = now;
    this.#feed = new SessionFeed(listener, () => void this.cancel());
    this.#peer = new AgentPeer(process, launch, {
      update: (params) => this.#feed.hear(params),
      oversized: (size) => this.#feed.oversized(size),
      permission: (params, signal) => this.#permit(params, signal),
    });
    this.exited = this.#peer.exited;
  }

  async initialize(): Promise<void> {
    const { name, command, limits } = this.#launch;
    const request = {
      protocolVersion: PROTOCOL_VERSION,
      clientInfo: { name: "belay", version: "0" },
      // Agents use files and terminals of their own, because Belay offers none.
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    };
    const said = fieldsOf(
      await this.#peer.ask(methods.agent.initialize, request, limits.initialize),
    );
    if (said.protocolVersion !== PROTOCOL_VERSION) {
      const message = `${name} speaks version ${said.protocolVersion} of the protocol, not ${PROTOCOL_VERSION}`;
      throw new AgentFailure("protocol", message);
    }
    const { loadSession, sessionCapabilities } = fieldsOf(said.agentCapabilities);
    const { resume, close } = fieldsOf(sessionCapabilities);
    this.reopens = { resume: isOffered(resume), load: loadSession === true };
    this.#closes = isOffered(close);
    this.#peer.login = loginHint(name, command, said.authMethods);
  }

  async open(way: OpenWay): Promise<OpenedSession> {
    if (this.#feed.turn) throw new Error("a prompt is running in the session that is open");
    try {
      return way.way === "new" ? await this.#openNew() : await this.#reopen(way);
    } catch (error) {
      this.#feed.none();
      throw error;
    }
  }

  async prompt(text: string): Promise<PromptEnd> {
    const { name, quirks } = this.#launch;
    const feed = this.#feed;
    const sessionId = feed.id;
    if (sessionId === null) throw new Error("a prompt needs an open session");
    if (feed.turn) throw new Error("one prompt at a time");
    feed.live(sessionId);
    const request = { sessionId, prompt: [{ type: "text", text }] };
    const ended = this.#peer.ask(methods.agent.session.prompt, request);
    const turn: PromptTurn = {
      stop: new AbortController(),
      ended,
      heard: false,
      said: "",
      used: null,
      broken: null,
    };
    feed.turn = turn;
    try {
      const told = readPromptEnd(await ended);
      if (turn.broken) throw turn.broken.reason;
      if (!told) throw new AgentFailure("protocol", `${name} did not say why it stopped`);
      const end = { ...told, usage: this.#usageOf(turn, told) };
      if (end.stop === "end_turn" && quirks.silent_end_is_failure && !turn.heard) {
        throw new AgentFailure("refused", `${name} failed: it ended its turn without an answer`);
      }
      const excuse = end.usage === null ? quirks.failure_text?.exec(turn.said) : null;
      if (end.stop === "end_turn" && excuse) {
        const [words = ""] = turn.said.slice(excuse.index).trim().split("\n", 1);
        throw new AgentFailure("refused", `the model of ${name} failed: ${words}`);
      }
      return end;
    } finally {
      feed.turn = null;
      turn.stop.abort();
    }
  }

  #usageOf({ used }: PromptTurn, { usage }: PromptEnd): PromptEnd["usage"] {
    const { usage_is_total, usage_in_updates } = this.#launch.quirks;
    if (usage_in_updates) return usage ?? used;
    return usage_is_total ? this.#sinceLast(usage) : usage;
  }

  /** The usage since the previous prompt; null if there was none. */
  #sinceLast(total: PromptEnd["usage"]): PromptEnd["usage"] {
    if (!total) return null;
    const before = this.#used;
    this.#used = total;
    const input_tokens = total.input_tokens - before.input_tokens;
    const output_tokens = total.output_tokens - before.output_tokens;
    // An agent that restarted its count reports the usage itself.
    if (input_tokens < 0 || output_tokens < 0) return total;
    return input_tokens + output_tokens === 0 ? null : { input_tokens, output_tokens };
  }

  async cancel(): Promise<void> {
    const { turn, id } = this.#feed;
    if (!turn || id === null) return;
    const told = this.#peer.notify(methods.agent.session.cancel, { sessionId: id });
    turn.stop.abort();
    // An agent that does not read its input would block here, so the wait is limited.
    await isSettledWithin(Promise.race([told, turn.ended]), this.#launch.limits.end);
  }

  end(): Promise<void> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  transcript(): readonly string[] {
    return this.#peer.transcript();
  }

  async #openNew(): Promise<OpenedSession> {
    this.#feed.opening();
    const { id, said } = await openSession(this.#peer, this.#launch, { way: "new" });
    await applyMode(this.#peer, this.#launch, id, said);
    await this.#feed.opened(id);
    return { agent_session_id: id, replayed: [] };
  }

  async #reopen(way: Exclude<OpenWay, { way: "new" }>): Promise<OpenedSession> {
    const { name, quirks } = this.#launch;
    const ms = quirks.reopen_in_next_minute ? waitForNextMinute(way.made_at, this.#now()) : 0;
    if (ms > 0) {
      const seconds = Math.ceil(ms / 1000);
      this.#listener.notice?.(
        `${name} cannot reopen its session before the next clock minute: waiting ${seconds} s`,
      );
      await this.#wait(ms);
    }
    if (this.#ending.signal.aborted) {
      throw new AgentFailure("exited", `${name} was ended before it could open its session`);
    }
    const replay = this.#feed.replaying(way.agent_session_id);
    const { id, said } = await openSession(this.#peer, this.#launch, way);
    if (way.way === "load") await this.#settle(replay);
    await applyMode(this.#peer, this.#launch, id, said);
    this.#feed.reopened(id);
    return { agent_session_id: id, replayed: replay.prompts() };
  }

  /** Some agents continue replaying after they have answered: waits for a silence, but not forever. */
  async #settle(replay: Replay): Promise<void> {
    const quiet = this.#launch.quirks.replay_settles_ms;
    for (let round = 0, before = -1; round < 10 && before !== replay.heard; round += 1) {
      before = replay.heard;
      await this.#wait(quiet);
    }
  }

  async #permit(params: unknown, signal: AbortSignal): Promise<unknown> {
    const { turn } = this.#feed;
    const stops = [signal, this.#ending.signal, ...(turn ? [turn.stop.signal] : [])];
    return askListener(params, this.#feed, this.#listener, AbortSignal.any(stops));
  }

  async #end(): Promise<void> {
    const { turn, id } = this.#feed;
    const stopPrompt = async (): Promise<void> => {
      await this.cancel();
      await turn?.ended.catch(() => {});
    };
    this.#ending.abort();
    await endAgent(this.#peer, {
      limit: this.#launch.limits.end,
      stopPrompt: turn ? stopPrompt : null,
      session: this.#closes ? id : null,
    });
  }

  /** `end` cuts the wait short. */
  async #wait(ms: number): Promise<void> {
    if (ms > 0) await sleep(ms, undefined, { signal: this.#ending.signal }).catch(() => {});
  }
}

function isOffered(capability: unknown): boolean {
  return capability !== undefined && capability !== null && capability !== false;
}

const CANCELLED: PermissionAnswer = null;

/**
 * Answers a permission request of the agent. Once `stop` is aborted the answer is `cancelled`, whatever the listener
 * does.
 */
async function askListener(
  params: unknown,
  feed: SessionFeed,
  listener: AgentListener,
  stop: AbortSignal,
): Promise<unknown> {
  const { sessionId, toolCall, options } = fieldsOf(params);
  const offered = readOptions(options);
  const call = mergeToolCall(fieldsOf(toolCall), feed.findCall);
  if (!call || sessionId !== feed.id || stop.aborted) return toOutcome(CANCELLED, offered);
  feed.rememberCall(call);
  const answer = listener.permission(toRequest(call, offered), stop).catch(() => CANCELLED);
  return toOutcome(await Promise.race([answer, cancelledBy(stop)]), offered);
}

function cancelledBy(signal: AbortSignal): Promise<PermissionAnswer> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(CANCELLED), { once: true });
  });
}

/** Starts agents that speak the Agent Client Protocol over their pipes. */
export const acpStarter: AgentStarter = createAcpStarter(Date.now);

export function createAcpStarter(now: () => number): AgentStarter {
  return {
    async start(launch, listener, signal) {
      const connection = new AcpConnection(await spawnAgent(launch), launch, listener, now);
      const giveUp = (): void => void connection.end();
      signal?.addEventListener("abort", giveUp);
      try {
        if (signal?.aborted) giveUp();
        await connection.initialize();
        return connection;
      } catch (error) {
        await connection.end();
        throw error;
      } finally {
        signal?.removeEventListener("abort", giveUp);
      }
    },
  };
}
