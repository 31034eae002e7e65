import { ApiError, isLoggedOut } from "../api/api-error.ts";
import { refusalIn } from "../api/ask.ts";
import { credentials } from "../api/browser-token.ts";
import { readSse, type SseMessage } from "./read-sse.ts";

/** The state of the connection; `broken` means a refusal that reconnecting will not fix. */
export type Connection = "connecting" | "live" | "reconnecting" | "logged out" | "broken";

interface StreamListener {
  message(message: SseMessage): void;
  state(state: Connection, why: string | null): void;
  /** The server no longer has the last event, because an older copy of its data was restored. The stream has ended. */
  historyChanged(): void;
}

/** Without any data for this long, not even a heartbeat, the connection counts as broken. */
const SILENCE_MS = 40_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;

/**
 * Follows a stream until the signal, and resumes it whenever the connection breaks. `address` is called for each
 * connection, with the last id.
 */
export async function followStream(
  address: (last: string | null) => string,
  from: string | null,
  listener: StreamListener,
  signal: AbortSignal,
): Promise<void> {
  let last = from;
  let failures = 0;
  listener.state("connecting", null);
  while (!signal.aborted) {
    try {
      for await (const message of connect(address(last), last, signal, () => {
        failures = 0;
        listener.state("live", null);
      })) {
        if (signal.aborted) return;
        if (message.id !== null) last = message.id;
        // With `failed` the server announces that it ends the stream; the page reconnects as usual.
        if (message.data !== "" && message.event !== "failed") listener.message(message);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (isLoggedOut(error)) return listener.state("logged out", null);
      if (error instanceof ApiError && error.code === "history_changed") {
        return listener.historyChanged();
      }
      if (error instanceof ApiError && error.status < 500) {
        return listener.state("broken", error.message);
      }
    }
    if (signal.aborted) return;
    listener.state("reconnecting", null);
    await wakeAfter(waitBefore(failures), signal);
    failures += 1;
  }
}

async function* connect(
  address: string,
  last: string | null,
  signal: AbortSignal,
  onOpen: () => void,
): AsyncGenerator<SseMessage> {
  const silent = new AbortController();
  let timer = setTimeout(() => silent.abort(), SILENCE_MS);
  try {
    const response = await fetch(address, {
      headers: {
        accept: "text/event-stream",
        ...credentials(),
        ...(last === null ? {} : { "last-event-id": last }),
      },
      cache: "no-store",
      signal: AbortSignal.any([signal, silent.signal]),
    });
    if (!response.ok) throw await refusalIn(response);
    if (!response.body) return;
    onOpen();
    const heard = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        clearTimeout(timer);
        timer = setTimeout(() => silent.abort(), SILENCE_MS);
        controller.enqueue(chunk);
      },
    });
    yield* readSse(response.body.pipeThrough(heard));
  } finally {
    clearTimeout(timer);
  }
}

function waitBefore(failures: number): number {
  const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** failures);
  return longest * (0.5 + Math.random() / 2);
}

/** Sooner if the network is back, or someone looks at the page again. */
function wakeAfter(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const woken = new AbortController();
    const wake = () => {
      clearTimeout(timer);
      woken.abort();
      resolve();
    };
    const timer = setTimeout(wake, ms);
    const { signal: until } = woken;
    window.addEventListener("online", wake, { signal: until });
    document.addEventListener("visibilitychange", () => document.hidden || wake(), {
      signal: until,
    });
    signal.addEventListener("abort", wake, { signal: until });
  });
}
