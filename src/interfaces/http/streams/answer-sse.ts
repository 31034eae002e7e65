import type { ServerResponse } from "node:http";
import { refusalOf } from "../answer-error.ts";
import { hijackReply } from "../hijack-reply.ts";
import type { RouteCall } from "../http-parts.ts";
import { CROWDED_MS, countUntaken } from "../untaken-bytes.ts";
import type { StreamTimes } from "./stream-times.ts";

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
    if (!response.writableNeedDrain && !response.destroyed) response.write(":\n\n");
  }, times.heartbeat);
  try {
    for await (const item of items) {
      if (signal.aborted || response.destroyed) break;
      if (!response.write(write(present(item)))) await drain(response, times.stalled, signal);
      if (signal.aborted || response.destroyed) break;
    }
  } catch (error) {
    request.log.error({ trace_id: request.id, err: error }, "a stream broke off");
    if (!response.destroyed) response.write(write({ event: "failed", data: refusalOf(error) }));
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
  response.once("drain", go).once("close", go);
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
    response.off("drain", go).off("close", go);
    signal.removeEventListener("abort", go);
  }
}

/** A client that does not read would not read the end either. */
function finish(response: ServerResponse): void {
  if (response.writableNeedDrain) response.destroy();
  else response.end();
}

/** Many clients follow the same events, so each is serialized once. */
const written = new WeakMap<SseMessage, string>();

/** JSON contains no line breaks, so each field is one line. */
function write(message: SseMessage): string {
  const known = written.get(message);
  if (known !== undefined) return known;
  const { id, event, data } = message;
  const place = id === undefined ? "" : `id: ${id}\n`;
  const line = data === null ? "data:" : `data: ${JSON.stringify(data)}`;
  const content = data === undefined ? "" : `event: ${event}\n${line}\n`;
  const text = `${place}${content}\n`;
  written.set(message, text);
  return text;
}
