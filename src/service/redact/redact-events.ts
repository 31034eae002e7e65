import { isRecord } from "../../contract/is-record.ts";
import type { LogEvent } from "../../contract/session.ts";
import { viewEvent } from "../../core/view/view-event.ts";
import type { HiddenSecret, Redactor } from "../../redaction/redactor.ts";
import { readEvents } from "../../store/read-streams.ts";
import type { StreamStore } from "../../store/stream-store.ts";
import { finishInTurns } from "./finish-in-turns.ts";
import { redactCaller } from "./redact-caller.ts";

/** How much is read before and after a page, because a secret may be spread over many small parts. */
const AROUND = { limit: 200, bytes: 512 * 1024 };

interface RedactedEvent extends Omit<LogEvent, "hash"> {
  readonly hash: null;
}

/**
 * Consecutive events of a session without their secrets. An answer is stored in parts that may split a secret, so all
 * its parts are checked together, with those before and after the page.
 */
export async function redactEvents(
  store: StreamStore,
  id: string,
  events: readonly LogEvent[],
  redactor: Redactor,
): Promise<{ events: RedactedEvent[]; hidden: (HiddenSecret & { readonly seq: number })[] }> {
  const texts = await redactParts(store, id, events, redactor);
  const hidden: (HiddenSecret & { readonly seq: number })[] = texts.hidden;
  const redacted: RedactedEvent[] = [];
  for (const event of events) {
    const from = redactor.hidden.length;
    const { data } = event;
    const text = texts.bySeq.get(event.seq);
    // The text of a part is already redacted.
    const { text: _, ...place } = data;
    const shown = recordOf(
      await finishInTurns(redactor.valueInSteps(text === undefined ? data : place, "data")),
    );
    redacted.push({
      ...event,
      ...redactCaller(redactor, event),
      data: text === undefined ? shown : { ...shown, text },
      hash: null,
    });
    for (const found of redactor.hidden.slice(from)) hidden.push({ ...found, seq: event.seq });
  }
  return { events: redacted, hidden: hidden.toSorted((a, b) => a.seq - b.seq) };
}

async function redactParts(
  store: StreamStore,
  id: string,
  events: readonly LogEvent[],
  redactor: Redactor,
) {
  const bySeq = new Map<number, string>();
  const hidden: (HiddenSecret & { readonly seq: number })[] = [];
  const [first, last] = [events[0], events.at(-1)];
  if (!first || !last || !events.some(isPart)) return { bySeq, hidden };
  const before = await readEvents(store, id, { before: first.seq, ...AROUND });
  const after = await readEvents(store, id, { after: last.seq, ...AROUND });
  const all = [...before.map(viewEvent), ...events, ...after.map(viewEvent)].filter(isPart);
  // Node 20 has no `Map.groupBy`.
  const answers = new Map<string, LogEvent[]>();
  for (const part of all) {
    const name = `${part.data.turn_id}\n${part.data.item}`;
    answers.set(name, [...(answers.get(name) ?? []), part]);
  }
  for (const parts of answers.values()) {
    const from = redactor.hidden.length;
    const isInside = ({ seq }: LogEvent) => seq >= first.seq && seq <= last.seq;
    const redacted = await finishInTurns(
      redactor.piecesInSteps(
        parts.map((part) => ({
          text: String(part.data.text),
          path: isInside(part) ? String(part.seq) : null,
        })),
      ),
    );
    for (const [n, { seq }] of parts.entries()) bySeq.set(seq, redacted[n] ?? "");
    for (const found of redactor.hidden.slice(from)) {
      hidden.push({ ...found, path: "data.text", seq: Number(found.path) });
    }
  }
  return { bySeq, hidden };
}

function isPart({ type, data }: LogEvent): boolean {
  return type === "turn.part" && typeof data.text === "string";
}

function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? { ...value } : {};
}
