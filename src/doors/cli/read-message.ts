import { BelayError, refuse } from "../../contract/errors.ts";
import type { TalkTerminal } from "./talk/talk-terminal.ts";

const WAITING = {
  /** After this time a note explains what it waits for. */
  note_ms: 2000,
  /** A slow command may still write; after this long, its pipe counts as left open. */
  limit_ms: 5 * 60_000,
};

/** All piped input as one message; empty if there is none. */
export async function readMessage(
  { input, note }: Pick<TalkTerminal, "input" | "note">,
  { note_ms, limit_ms } = WAITING,
): Promise<string> {
  const chunks: Buffer[] = [];
  const over = Promise.withResolvers<void>();
  const noting = setTimeout(
    note,
    note_ms,
    "Reading the message from standard input until it ends.",
  );
  const limit = setTimeout(() => over.reject(neverEnded(limit_ms)), limit_ms);
  input.on("end", over.resolve).on("error", over.reject);
  input.on("data", (chunk) => {
    chunks.push(Buffer.from(chunk));
    limit.refresh();
  });
  try {
    await over.promise;
  } finally {
    clearTimeout(noting);
    clearTimeout(limit);
    // A pipe that is still read would keep this process alive.
    input.pause();
  }
  return Buffer.concat(chunks).toString("utf8").trim();
}

function neverEnded(limit_ms: number): BelayError {
  const message = `Standard input is open, but no data arrived for ${limit_ms / 1000} seconds. Close it, or use: belay send ID MESSAGE`;
  return new BelayError(refuse("usage", message));
}
