import { BelayError, refuse } from "../../../contract/errors.ts";
import type { RunEvent } from "../../../contract/run-event.ts";
import { readMessage } from "../read-message.ts";
import { runOnce } from "./run-once.ts";
import { talk } from "./talk.ts";
import type { TalkTerminal } from "./talk-terminal.ts";

/** A session with a working agent, as a person at a terminal uses it. */
export interface TerminalConversation {
  readonly session_id: string;
  /** Queues a message; its events arrive on `events`. */
  send(message: string): Promise<unknown>;
  readonly events: AsyncIterable<RunEvent>;
  answer(approval_id: string, decision: "approved" | "rejected", always: boolean): Promise<void>;
  /** Answers a recovery question with "continue". */
  continue(approval_id: string): Promise<void>;
  interrupt(): Promise<void>;
  suspend(): Promise<void>;
  complete(): Promise<void>;
}

/** Talks as long as a person is at the terminal; without a terminal, all piped input is one message. */
export async function converse(
  conversation: TerminalConversation,
  terminal: TalkTerminal,
  first: string | null = null,
): Promise<number> {
  if (terminal.typed) return talk(conversation, terminal, first);
  const message = first ?? (await readMessage(terminal));
  if (message !== "") return runOnce(conversation, message, terminal);
  throw new BelayError(
    refuse("usage", "A message is required. Write it after the id, or pipe it in."),
  );
}
