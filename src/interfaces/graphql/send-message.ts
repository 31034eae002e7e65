import { BelayError, refuse } from "../../contract/errors.ts";
import type { Turn } from "../../contract/session.ts";
import type { SentMessage } from "../../service/run/follow-turn.ts";
import type { Ask } from "./graphql-parts.ts";

/** As long as the other doors wait for an answer. */
const PATIENCE_MS = 600_000;
/** More than can be queued behind it. */
const NEWEST = 50;

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
  { session_id, turn_id }: SentMessage,
): Promise<Turn> {
  const page = { id: session_id, limit: NEWEST };
  const { turns } = await parts.service.call("turns", page, caller);
  const turn = turns.findLast((each) => each.turn_id === turn_id);
  if (turn) return turn;
  const message = `the turn was sent, and others have come since: read it with turns`;
  throw new BelayError(refuse("turn_not_found", message, { session_id, turn_id }));
}
