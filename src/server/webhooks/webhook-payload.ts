import { hash } from "node:crypto";
import type { FeedLine } from "../../contract/operations/past-operations.ts";
import { isSessionHead } from "../../core/session/known-events.ts";
import { finishInTurns } from "../../service/redact/finish-in-turns.ts";
import { redactCaller } from "../../service/redact/redact-caller.ts";
import { redactTwice } from "../../service/redact/redact-twice.ts";
import { loadStream } from "../../store/read-streams.ts";
import type { StreamStore } from "../../store/stream-store.ts";

/** The same id each time the event is sent, so that a receiver can recognize it. */
export function eventIdOf(line: FeedLine, redact = false): string {
  // With the real hash, a receiver could guess the hidden content.
  const digest = redact ? hash("sha256", `${line.id} ${line.seq} ${line.at}`) : line.hash;
  return `evt_${digest.slice(0, 40)}`;
}

/**
 * The payload of an event: the event from the log, and its session's current state. Null if the session belongs to someone
 * else and is no longer shared with the owner of the webhook.
 */
export async function writePayload(
  store: StreamStore,
  owner: string,
  line: FeedLine,
  redact = false,
): Promise<string | null> {
  const { cursor: _, kind: __, id: session_id, ...event } = line;
  const stream = await loadStream(store, { kind: "session", owner, key: session_id });
  const head = isSessionHead(stream?.head) ? stream.head : null;
  if (!head && session_id.includes("/")) return null;
  const payload = {
    id: eventIdOf(line, redact),
    type: line.type,
    timestamp: line.at,
    data: {
      session: {
        session_id,
        // Only the id is known of a purged session.
        ...(head && {
          entity_id: head.entity_id,
          agent_name: head.agent_name,
          purpose: head.purpose,
          title: head.title,
          task_id: head.task_id,
          status: head.status,
          phase: head.phase,
          project: head.project,
        }),
      },
      event,
    },
  };
  if (!redact) return JSON.stringify(payload);
  const { session, event: whole } = payload.data;
  const data = await redactTwice({}, async (redactor) => ({
    session: redactor.value(session),
    event: {
      ...whole,
      ...redactCaller(redactor, whole),
      data: await finishInTurns(redactor.valueInSteps(whole.data)),
      hash: null,
    },
  }));
  return JSON.stringify({ ...payload, data });
}
