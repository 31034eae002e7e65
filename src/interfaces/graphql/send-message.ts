import { BelayError, refuse } from "../../contract/errors.ts";
import type { Turn } from "../../contract/session.ts";
import type { SentMessage } from "../../drive/run/follow-turn.ts";
import type { Ask } from "./graphql-parts.ts";

/** As long as the other doors wait for an answer. */
const PATIENCE_MS = 600_000;

/** Sends a message and answers its turn: as it ended, or as far as it had come when it was no longer waited for. */
export async function sendMessage(
  { parts, caller, signal }: Ask,
  { wait, ...message }: Readonly<Record<string, unknown>>,
): Promise<Turn> {
  const sent = await parts.service.call("send_message", message, caller);
  if (wait === false) return readTurn({ parts, caller }, sent);
  const answer = await parts.awaitTurn(caller, sent, PATIENCE_MS, signal);
  if ("failure" in answer) {
    const { session_id, turn_id } = sent;
    throw new BelayError(refuse("agent_failed", answer.failure, { session_id, turn_id }));
  }
  return readTurn({ parts, caller }, sent);
}

async function readTurn(
  { parts, caller }: Pick<Ask, "parts" | "caller">,
  { session_id, turn_id, seq }: SentMessage,
): Promise<Turn> {
  const page = { id: session_id, before: seq + 1, limit: 1 };
  const [turn] = (await parts.service.call("turns", page, caller)).turns;
  if (!turn) throw new Error(`${session_id} does not have the turn ${turn_id} that it was sent`);
  return turn;
}
