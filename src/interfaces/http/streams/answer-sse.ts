import type { ServerResponse } from "node:http";
import { refusalOf } from "../answer-error.ts";
import type { RouteCall } from "../http-parts.ts";
import { takeOver } from "../take-over.ts";
import { CROWDED_MS, countUntaken } from "../untaken-bytes.ts";
import type { StreamTimes } from "./stream-times.ts";

/**
 * One event of a stream. Without data it is nothing but a place to go on from, which clients remember; with null it is
 * nothing but its name.
 */
export interface SseMessage {
  readonly id?: string | number;
  readonly event?: string;
  readonly data?: object | null;
}

/**
 * Answers a request with a stream of events, one after the other and each whole, until they end or the signal comes.
 * The next is asked for when the client has taken the one before, so a slow client costs no more than that.
 */
export async function answerSse<Item>(
  { request, reply, signal }: RouteCall,
  items: AsyncIterable<Item>,
  present: (item: Item) => SseMessage,
  times: StreamTimes,
): Promise<void> {
  const response = takeOver(reply);
  response.writeHead(reply.statusCode, HEADERS);
  response.write("retry: 1000\n\n");
  // Node resets it with each piece that the client takes, and it only counts while something waits to be taken.
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

/** A client that does not take what there is would not take the end either. */
function finish(response: ServerResponse): void {
  if (response.writableNeedDrain) response.destroy();
  else response.end();
}

/** Many look on, and what they are given alike is written once. */
const written = new WeakMap<SseMessage, string>();

/** JSON has no line breaks, so that each field is one line. */
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
