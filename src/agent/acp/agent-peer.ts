import type { ClientConnection } from "@agentclientprotocol/sdk";
import { client, methods } from "@agentclientprotocol/sdk";
import type { AgentExit, AgentLaunch } from "../agent-connection.ts";
import { AgentFailure } from "../agent-connection.ts";
import { exitFailure, loginHint, toFailure } from "./agent-failures.ts";
import { AgentStream } from "./agent-stream.ts";
import { Secrets } from "./secrets.ts";
import type { AgentProcess } from "./spawn-agent.ts";
import { Transcript } from "./transcript.ts";
import { isSettledWithin, withLimit } from "./within.ts";

/** How long to wait for the last output of a dead process, if others hold its pipe open. */
const LAST_WORDS_MS = 200;
/** How long a process may live after it closed one of its pipes. */
const CLOSING_MS = 1000;

interface PeerHandlers {
  /** Receives `session/update`. Nothing more is read until it is done. */
  readonly update: (params: unknown) => void | Promise<void>;
  readonly oversized: (size: number) => void | Promise<void>;
  /** Answers `session/request_permission`. */
  readonly permission: (params: unknown, signal: AbortSignal) => Promise<unknown>;
}

/** The agent's process as a peer of the protocol. */
export class AgentPeer {
  readonly process: AgentProcess;
  /** The process is gone, and all its messages were handled. */
  readonly exited: Promise<AgentExit>;
  /** Instructions to log in; known once the agent has introduced itself. */
  login: string;
  readonly #launch: AgentLaunch;
  readonly #secrets: Secrets;
  readonly #transcript: Transcript;
  readonly #stream: AgentStream;
  readonly #rpc: ClientConnection;
  #isLeaving = false;

  constructor(process: AgentProcess, launch: AgentLaunch, handlers: PeerHandlers) {
    this.process = process;
    this.login = loginHint(launch.name, launch.command, []);
    this.#launch = launch;
    this.#secrets = new Secrets(launch);
    this.#transcript = new Transcript(this.#secrets);
    this.#stream = new AgentStream({
      input: process.child.stdout,
      output: process.child.stdin,
      transcript: this.#transcript,
      onNotification: (method, params) => {
        if (method === methods.client.session.update) return handlers.update(params);
      },
      onOversized: handlers.oversized,
    });
    this.#rpc = client({ name: "belay" })
      .onRequest(
        methods.client.session.requestPermission,
        (params: unknown) => params,
        ({ params, signal }) => handlers.permission(params, signal),
      )
      .connect(this.#stream.stream);
    this.exited = this.#watchExit();
    void this.#watchPipes();
  }

  /** Rejects with `AgentFailure`. Without a limit it waits as long as the agent lives. */
  async ask(method: string, params: unknown, limit?: number): Promise<unknown> {
    const { name } = this.#launch;
    try {
      const answer = this.#rpc.agent.request<unknown>(method, params);
      if (limit === undefined) return await answer;
      return await withLimit(answer, limit, () => {
        throw new AgentFailure("timeout", `${name} did not answer ${method} within ${limit} ms`);
      });
    } catch (error) {
      throw toFailure(error, name, method, this.login);
    }
  }

  async notify(method: string, params: unknown): Promise<void> {
    // An agent that cannot be reached has ended, which is reported elsewhere.
    await this.#rpc.agent.notify(method, params).catch(() => {});
  }

  closeInput(): void {
    this.#isLeaving = true;
    this.process.child.stdin.end();
  }

  /** Closes the pipes, even if another process still holds their other ends. */
  async release(): Promise<void> {
    const { child, closed } = this.process;
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy();
    await isSettledWithin(closed, CLOSING_MS);
  }

  transcript(): string[] {
    return this.#transcript.read(this.process.stderr.read());
  }

  async #watchExit(): Promise<AgentExit> {
    const ended = await this.process.ended;
    await this.#stream.settled(LAST_WORDS_MS);
    await isSettledWithin(this.process.closed, LAST_WORDS_MS);
    const said = this.#secrets.hide(this.process.stderr.lastLines(20, 2000));
    const exit = { ...ended, said };
    this.#rpc.close(exitFailure(this.#launch, exit));
    return exit;
  }

  /** An agent without working pipes is useless, even if its process runs. */
  async #watchPipes(): Promise<void> {
    const { child, ended } = this.process;
    const inputClosed = new Promise((resolve) => child.stdin.once("close", resolve));
    await Promise.race([this.#stream.done, inputClosed]);
    if (this.#isLeaving || (await isSettledWithin(ended, CLOSING_MS))) return;
    const message = `${this.#launch.name} has closed its pipes but is still running`;
    this.#rpc.close(new AgentFailure("protocol", message));
  }
}
