import type { EventOf, Said, TurnEnd } from "./entry.ts";

/** The loaded events of a turn's start and end. */
export interface TurnFacts {
  started?: EventOf<"turn.started">;
  queued?: EventOf<"message.queued">;
  ended?: EventOf<"turn.ended">;
}

/** The message that started the turn, and its place; null if nothing is known. */
export function toSaid(
  turn_id: string,
  { started, queued, ended }: TurnFacts,
): { readonly said: Said; readonly place: number } | null {
  const first = started ?? queued ?? ended;
  if (!first) return null;
  const { seq, at } = first;
  const text = started?.data.content ?? queued?.data.content ?? null;
  const actor = queued?.actor ?? null;
  // A message that was withdrawn before its turn is shown at the withdrawal.
  const place = started ? seq : (ended?.seq ?? seq) - 0.2;
  return { said: { kind: "said", seq, turn_id, at, text, actor }, place };
}

export function toTurnEnd(
  turn_id: string,
  { started, ended }: TurnFacts,
): (TurnEnd & { readonly seq: number }) | null {
  if (!ended) return null;
  const { seq, at } = ended;
  const { error, usage } = ended.data;
  const isUnmetered = ended.data.outcome === "completed" && usage === null;
  const outcome = isUnmetered ? "without_usage" : ended.data.outcome;
  const took = started ? at - started.at : null;
  return { kind: "end", seq, turn_id, at, outcome, error, usage, took };
}
