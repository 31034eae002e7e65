import type { StoredRow } from "../../contract/stream.ts";
import type { Sighting } from "../../core/observation/sighting.ts";
import { commandsOf } from "../../core/observation/sighting.ts";
import { isSessionHead } from "../../core/session/known-events.ts";
import { recorderStore } from "../../service/access/recorder-store.ts";
import { changeSession } from "../../service/change-session.ts";
import { idFor } from "../../service/idempotency.ts";
import { readConversationState } from "../../service/read/conversation-state.ts";
import type { Caller, ServiceContext } from "../../service/service-context.ts";
import { loadStream, readEvents } from "../../store/read-streams.ts";
import type { StoredStream } from "../../store/stream-store.ts";

export type { Seen, Sighting } from "../../core/observation/sighting.ts";

/** Enough to recognize a turn whose reports come in the wrong order. */
const NEWEST_TURNS = 32;

/** Records a sighting once, however often it is reported. False if it concerns no known session. */
export async function recordSighting(
  whole: ServiceContext,
  owner: string,
  sighting: Sighting,
): Promise<boolean> {
  const { session_id, key, actor, trace_id, begin, recorder } = sighting;
  const store = recorder === undefined ? whole.store : recorderStore(whole.store, recorder);
  const context: ServiceContext = { ...whole, store, wholeIds: true };
  const known = await loadStream(context.store, { kind: "session", owner, key: session_id });
  if (!known && !begin) return false;
  if (known && (await isRepeatedStop(context, known, sighting))) return true;
  const caller: Caller = { owner, actor, interface: "hook", trace_id };
  const retry = { operation: "hook", key, request: key };
  const entity_id = context.newId();
  const item_id = idFor(context, caller, retry);
  const state =
    sighting.seen.kind === "compacting"
      ? await readState(context, known, sighting.seen.trigger)
      : {};
  await changeSession(context, caller, {
    id: session_id,
    retry,
    annotates: true,
    reads: [
      {
        stream: 0,
        query: { kind: "turn", before: Number.MAX_SAFE_INTEGER, limit: NEWEST_TURNS },
      },
    ],
    commands: (head, { rows: [turns = []] }) =>
      commandsOf(sighting, head, { owner, entity_id, item_id, turns: idsOf(turns), state }),
  });
  return true;
}

/** An empty stop right after another is the same one, because not every tool's stops have distinct keys. */
async function isRepeatedStop(
  { store }: ServiceContext,
  { id, seq }: StoredStream,
  { seen }: Sighting,
): Promise<boolean> {
  if (seen.kind !== "returned" || seen.output !== "") return false;
  const [last] = await readEvents(store, id, { after: seq - 1, limit: 1 });
  return last?.type === "agent.stopped";
}

async function readState(
  { store }: ServiceContext,
  known: StoredStream | undefined,
  trigger: string,
): Promise<Record<string, unknown>> {
  if (!known || !isSessionHead(known.head)) return { reason: "compact", trigger };
  const { id, seq, head } = known;
  return { ...(await readConversationState(store, { id, seq, head }, "compact")), trigger };
}

function idsOf(turns: readonly StoredRow[]): string[] {
  return turns.flatMap(({ data }) => (typeof data.turn_id === "string" ? [data.turn_id] : []));
}
