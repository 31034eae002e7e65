import type { RunEvent } from "../../../contract/run-event.ts";

/** An answer to a question: one of the agent's options, or a decision. */
export interface GivenAnswer {
  readonly option?: string;
  readonly decision?: "approved" | "rejected";
  readonly always?: boolean;
}

/** A session with a working agent, as a person at a terminal uses it. */
export interface TerminalConversation {
  readonly session_id: string;
  /** Queues a message; its events arrive on `events`. */
  send(message: string): Promise<unknown>;
  readonly events: AsyncIterable<RunEvent>;
  answer(approval_id: string, answer: GivenAnswer): Promise<void>;
  /** Answers a recovery question with "continue". */
  continue(approval_id: string): Promise<void>;
  interrupt(): Promise<void>;
  suspend(): Promise<void>;
  complete(): Promise<void>;
}
