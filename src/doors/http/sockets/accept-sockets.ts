import type { IncomingMessage, Server } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import { BelayError, refuse } from "../../../contract/errors.ts";
import { refusalOf, writeError } from "../answer-error.ts";
import { readBearer } from "../credentials.ts";
import { type Admitted, admitBy, checkUpgrade } from "../gate.ts";
import type { HttpParts } from "../http-parts.ts";
import type { OpenStreams } from "../open-streams.ts";
import type { OwnHosts } from "../own-hosts.ts";
import { readJson } from "../read-json.ts";
import { readTraceId } from "../read-trace-id.ts";
import { SECURITY_HEADERS } from "../security-headers.ts";
import { STREAM_TIMES } from "../streams/stream-times.ts";
import { asksForSocket, WebSocket } from "./web-socket.ts";

const PATH = "/graphql";
const PROTOCOL = "graphql-transport-ws";
const MOST_STRANGERS = 100;

/** True if a request should become a WebSocket; the gate refuses every other upgrade. */
export function becomesSocket(request: IncomingMessage): boolean {
  return request.url === PATH && asksForSocket(request);
}

/** Accepts WebSockets at their one path, behind the same gate as everything else. */
export class SocketDoor {
  readonly #parts: HttpParts;
  readonly #hosts: OwnHosts;
  readonly #streams: OpenStreams;
  readonly #log: Logger;
  readonly #open = new Set<Socket>();
  #strangers = 0;
  #closing = false;

  constructor(parts: HttpParts, hosts: OwnHosts, streams: OpenStreams, log: Logger) {
    this.#parts = parts;
    this.#hosts = hosts;
    this.#streams = streams;
    this.#log = log;
  }

  listen(server: Pick<Server, "on">): void {
    server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (!(socket instanceof Socket)) {
        socket.destroy();
        return;
      }
      socket.on("error", () => socket.destroy());
      this.#open.add(socket);
      socket.once("close", () => this.#open.delete(socket));
      const trace_id = readTraceId(request.headers) ?? this.#parts.newId();
      this.#accept(request, socket, head, trace_id).catch((error: unknown) => {
        const refusal = refusalOf(error);
        if (refusal.error === "internal") this.#log.error({ trace_id, err: error }, "failed");
        socket.end(writeError(refusal), () => socket.destroy());
      });
    });
  }

  /**
   * Stops accepting. Connections that remain after the grace period are destroyed, because Node does not count them as
   * HTTP.
   */
  close(grace_ms: number): void {
    this.#closing = true;
    setTimeout(() => {
      for (const socket of this.#open) socket.destroy();
    }, grace_ms).unref();
  }

  async #accept(
    request: IncomingMessage,
    socket: Socket,
    head: Buffer,
    trace_id: string,
  ): Promise<void> {
    const admitted = await checkUpgrade(request, this.#hosts, this.#parts, trace_id);
    if (this.#closing)
      throw new BelayError(
        refuse("shutting_down", "The server is shutting down. Retry in a moment."),
      );
    const offered = (request.headers["sec-websocket-protocol"] ?? "").split(",");
    if (!offered.some((each) => each.trim() === PROTOCOL)) {
      throw new BelayError(refuse("invalid_input", `This path needs the protocol ${PROTOCOL}.`));
    }
    if (!admitted && this.#strangers >= MOST_STRANGERS) {
      throw new BelayError(
        refuse("store_busy", "Too many unauthenticated connections. Try again in a few seconds."),
      );
    }
    const headers = { ...SECURITY_HEADERS, "x-trace-id": trace_id };
    const { streamTimes = STREAM_TIMES } = this.#parts;
    const webSocket = await WebSocket.accept(request, socket, head, PROTOCOL, headers, streamTimes);
    await this.#converse(webSocket, socket, admitted, trace_id);
  }

  async #converse(
    webSocket: WebSocket,
    socket: Socket,
    first: Admitted | null,
    trace_id: string,
  ): Promise<void> {
    const started = performance.now();
    const ended = new AbortController();
    let admitted: Admitted | null = null;
    const letIn = (by: Admitted): Admitted => {
      admitted = by;
      webSocket.admit();
      const signal = this.#streams.add(by.admission, socket);
      const end = (): void => void this.#end(webSocket, ended, by);
      if (signal.aborted) end();
      else signal.addEventListener("abort", end);
      return by;
    };
    if (first) letIn(first);
    const leave = first ? () => {} : this.#comeAsStranger();
    socket.once("close", () => {
      leave();
      ended.abort();
      this.#note(admitted, trace_id, started);
    });
    try {
      await this.#parts.graphql.converse({
        caller: first?.caller ?? null,
        enter: async (authorization) => {
          const credentials = typeof authorization === "string" ? readBearer(authorization) : null;
          const from = socket.remoteAddress ?? "unknown";
          const by = await admitBy(credentials, this.#parts, trace_id, { from }).catch(() => null);
          if (by) leave();
          return by && letIn(by).caller;
        },
        stays: async () => admitted !== null && (await this.#parts.isAdmitted(admitted.admission)),
        messages: read(webSocket),
        send: (text) => webSocket.send(text),
        close: (code, reason) => webSocket.close(code, reason),
        signal: ended.signal,
      });
    } catch (error) {
      this.#log.error({ trace_id, err: error }, "a conversation broke off");
    } finally {
      webSocket.close(1011, "");
    }
  }

  /** A client whose token was revoked should not reconnect; others may. */
  async #end(socket: WebSocket, ended: AbortController, { admission }: Admitted): Promise<void> {
    const stays = await this.#parts.isAdmitted(admission).catch(() => true);
    if (stays) socket.close(1001, "Going away");
    else socket.close(4403, "Forbidden");
    ended.abort();
  }

  #comeAsStranger(): () => void {
    this.#strangers += 1;
    let here = true;
    return () => {
      if (here) this.#strangers -= 1;
      here = false;
    };
  }

  #note(admitted: Admitted | null, trace_id: string, started: number): void {
    const ms = Math.round((performance.now() - started) * 100) / 100;
    const { token_id = null, owner = null } = admitted?.admission ?? {};
    const line = { trace_id, method: "GET", route: PATH, status: 101, ms, token_id, owner };
    this.#log.info(line, "request");
  }
}

async function* read(socket: WebSocket): AsyncGenerator<unknown> {
  for await (const message of socket.messages()) {
    const value = parse(message);
    if (value === undefined) return socket.close(4400, "Invalid message");
    yield value;
  }
}

function parse(message: Buffer): unknown {
  try {
    return readJson(message);
  } catch {
    return undefined;
  }
}
