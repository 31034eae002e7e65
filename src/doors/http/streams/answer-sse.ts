import type { ServerResponse } from "node:http";
import { refusalOf } from "../answer-error.ts";
import { hijackReply } from "../hijack-reply.ts";
import type { RouteCall } from "../http-parts.ts";
import type { StreamTimes } from "./stream-times.ts";
import { CROWDED_MS, countUntaken } from "./untaken-bytes.ts";

/**
 * One event of a stream. Without data it only carries an id to resume from; with null data it only carries its name.
 */
export interface SseMessage {
  readonly id?: string | number;
  readonly event?: string;
  readonly data?: object | null;
}

/**
 * Answers a request with a stream of events, until they end or the signal comes. The next event is requested after the
 * client has received the previous one, so a slow client needs little memory.
 */
export async function answerSse<Item>(
  { request, reply, signal }: RouteCall,
  items: AsyncIterable<Item>,
  present: (item: Item) => SseMessage,
  times: StreamTimes,
): Promise<void> {
  const response = hijackReply(reply);
  response.writeHead(reply.statusCode, HEADERS);
  response.write("retry: 1000\n\n");
  // Node resets this timeout with each piece that the client receives, and it only runs while data waits.
  response.on("timeout", () => response.destroy());
  response.on("error", () => response.destroy());
  const beat = setInterval(() => {
    if (!isFull(response) && !response.destroyed) response.write(":\n\n");
  }, times.heartbeat);
  try {
    for await (const item of items) {
      if (signal.aborted || response.destroyed) break;
      if (!send(response, frame(present(item)))) await drain(response, times.stalled, signal);
      if (signal.aborted || response.destroyed) break;
    }
  } catch (error) {
    request.log.error({ trace_id: request.id, err: error }, "a stream broke off");
    if (!response.destroyed) send(response, frame({ event: "failed", data: refusalOf(error) }));
  } finally {
    clearInterval(beat);
    finish(response);
  }
}

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
};

async function drain(response: ServerResponse, ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted || response.destroyed) return;
  const done = Promise.withResolvers<void>();
  const go = (): void => done.resolve();
  const full = response.socket ?? response;
  full.once("drain", go);
  response.once("close", go);
  signal.addEventListener("abort", go);
  response.setTimeout(ms);
  const forget = countUntaken(response.writableLength, () =>
    response.setTimeout(Math.min(ms, CROWDED_MS)),
  );
  try {
    await done.promise;
  } finally {
    forget();
    response.setTimeout(0);
    full.off("drain", go);
    response.off("close", go);
    signal.removeEventListener("abort", go);
  }
}

/** A client that does not read would not read the end either. */
function finish(response: ServerResponse): void {
  if (isFull(response)) response.destroy();
  else response.end();
}

/** True if the client has not received everything yet, so that more would wait in memory. */
function isFull(response: ServerResponse): boolean {
  return response.writableNeedDrain || response.socket?.writableNeedDrain === true;
}

/**
 * Writes to the socket, because a response sends each chunk in four pieces, which takes longer than the rest for many
 * clients. False if the client has to receive it before the next one.
 */
function send(response: ServerResponse, { text, chunk }: Frame): boolean {
  const { socket, chunkedEncoding } = response;
  // A response has no socket while an earlier one of its connection is sent. Old clients do not understand chunks.
  return socket && chunkedEncoding ? socket.write(chunk) : response.write(text);
}

/** A message as text, and as a chunk of a response. */
interface Frame {
  readonly text: string;
  readonly chunk: string;
}

/** Many clients follow the same events, so each is serialized once. */
const frames = new WeakMap<SseMessage, Frame>();

/** JSON contains no line breaks, so each field is one line. */
function frame(message: SseMessage): Frame {
  const known = frames.get(message);
  if (known) return known;
  const { id, event, data } = message;
  const place = id === undefined ? "" : `id: ${id}\n`;
  const line = data === null ? "data:" : `data: ${JSON.stringify(data)}`;
  const content = data === undefined ? "" : `event: ${event}\n${line}\n`;
  const text = `${place}${content}\n`;
  const made = { text, chunk: `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n` };
  frames.set(message, made);
  return made;
}
