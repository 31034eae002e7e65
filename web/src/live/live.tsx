import { useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import type { FeedLine } from "../../../src/contract/operations/past-operations.ts";
import { refreshBy } from "../api/refresh-by.ts";
import type { Connection } from "./follow-stream.ts";
import { shareFeed } from "./share-feed.ts";

interface Live {
  readonly connection: Connection;
  readonly why: string | null;
  /** Calls back for each event of any session. Returns a function that stops it. */
  listen(listener: (line: FeedLine) => void): () => void;
}

const LiveContext = createContext<Live | null>(null);

/** One feed for the whole page; its events make other queries refetch. */
export function LiveProvider({ children }: { readonly children: ReactNode }) {
  const queries = useQueryClient();
  const [{ connection, why }, setState] = useState<Pick<Live, "connection" | "why">>({
    connection: "connecting",
    why: null,
  });
  const listeners = useMemo(() => new Set<(line: FeedLine) => void>(), []);

  useEffect(() => {
    const refresh = refreshBy(queries);
    let wasLive = false;
    const stop = shareFeed({
      line(line) {
        refresh.line(line);
        for (const listen of listeners) listen(line);
      },
      state(now, reason) {
        setState({ connection: now, why: reason });
        // Data read before the feed was connected may be outdated; a resumed feed misses nothing.
        if (now !== "live") return;
        if (wasLive) refresh.unanswered();
        else refresh.all();
        wasLive = true;
      },
      historyChanged: () => {
        wasLive = false;
      },
    });
    return () => {
      stop();
      refresh.stop();
    };
  }, [queries, listeners]);

  const live = useMemo<Live>(
    () => ({
      connection,
      why,
      listen(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    }),
    [connection, why, listeners],
  );
  return <LiveContext value={live}>{children}</LiveContext>;
}

export function useLive(): Live {
  const live = useContext(LiveContext);
  if (!live) throw new Error("useLive must be used inside LiveProvider");
  return live;
}
