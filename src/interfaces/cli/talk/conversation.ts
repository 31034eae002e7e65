import { BelayError, refuse } from "../../../contract/errors.ts";
import type { RunEvent } from "../../../contract/run-event.ts";
import { readMessage } from "../read-message.ts";
import { runOnce } from "./run-once.ts";
import { talk } from "./talk.ts";
import type { TalkTerminal } from "./talk-terminal.ts";

/** A session with an agent at work, as someone at a terminal can use it. */
export interface Conversation {
  readonly session_id: string;
  /** Queues a message; events arrive on `events`. */
  send(message: string): Promise<unknown>;
  readonly events: AsyncIterable<RunEvent>;
  answer(approval_id: string, decision: "approved" | "rejected", always: boolean): Promise<void>;
  /** The answer to a recovery question that needs nothing but a yes. */
  continue(approval_id: string): Promise<void>;
  interrupt(): Promise<void>;
  suspend(): Promise<void>;
  complete(): Promise<void>;
}

/** Talks for as long as someone sits there; where nobody does, all that is piped in is one message. */
export async function converse(
  conversation: Conversation,
  terminal: TalkTerminal,
  first: string | null = null,
): Promise<number> {
  if (terminal.typed) return talk(conversation, terminal, first);
  const message = first ?? (await readMessage(terminal));
  if (message !== "") return runOnce(conversation, message, terminal);
  throw new BelayError(
    refuse("usage", "The message is missing. Write it after the id, or pipe it in."),
  );
}
