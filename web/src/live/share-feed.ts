import type { FeedLine } from "../../../src/contract/operations/past-operations.ts";
import { type Connection, followStream } from "./follow-stream.ts";

interface FeedListener {
  line(line: FeedLine): void;
  state(state: Connection, why: string | null): void;
  /** Events may be missing, because an older copy of the server's data was restored. */
  historyChanged(): void;
}

type FeedMessage =
  | { readonly line: FeedLine }
  | { readonly state: Connection; readonly why: string | null }
  | { readonly asks: "state" }
  | { readonly changed: "history" };

const NAME = "belay-feed";

/**
 * Follows the events of all sessions. A browser allows six connections to one server over all its tabs, so one tab
 * listens and tells the others; when it closes, another continues from the last event.
 */
export function shareFeed(listener: FeedListener): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  const channel = new BroadcastChannel(NAME);
  let cursor: string | null = null;
  let leads = false;
  let state: Connection = "connecting";
  let why: string | null = null;

  const take = (told: FeedMessage): void => {
    if ("line" in told) {
      cursor = told.line.cursor;
      listener.line(told.line);
    } else if ("state" in told) {
      ({ state, why } = told);
      listener.state(state, why);
    } else if ("changed" in told) {
      cursor = null;
      listener.historyChanged();
    } else if (leads) channel.postMessage({ state, why } satisfies FeedMessage);
  };
  const broadcast = (told: FeedMessage): void => {
    take(told);
    channel.postMessage(told);
  };
  channel.addEventListener("message", ({ data }: MessageEvent<FeedMessage>) => take(data), {
    signal,
  });

  const lead = async (): Promise<void> => {
    leads = true;
    for (let isOver = false; !isOver; ) {
      isOver = true;
      await followStream(
        () => "/events",
        cursor,
        {
          message: ({ data }) => broadcast({ line: JSON.parse(data) }),
          state: (now, reason) => broadcast({ state: now, why: reason }),
          historyChanged: () => {
            isOver = false;
            broadcast({ changed: "history" });
          },
        },
        signal,
      );
    }
  };
  channel.postMessage({ asks: "state" } satisfies FeedMessage);
  // Locks only exist on pages that the browser trusts; other pages each listen for themselves.
  const leading = navigator.locks ? navigator.locks.request(NAME, { signal }, lead) : lead();
  leading.catch(() => undefined);

  return () => {
    ended.abort();
    channel.close();
  };
}
