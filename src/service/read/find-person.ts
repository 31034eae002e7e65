import type { PersonState } from "../../contract/head.ts";
import { isSystemHead } from "../../core/session/known-events.ts";
import { listStreams, loadStream } from "../../store/read-streams.ts";
import type { StoredStream, StreamStore } from "../../store/stream-store.ts";
import { personStream } from "../record-system-fact.ts";

/** Null for an owner without a person on record. */
export async function findPerson(
  store: Pick<StreamStore, "read">,
  name: string,
): Promise<PersonState | null> {
  return personIn(await loadStream(store, personStream(name)));
}

function personIn(stream: StoredStream | undefined): PersonState | null {
  return isSystemHead(stream?.head) ? (stream.head.person ?? null) : null;
}

/** All people on record, by name. */
export async function everyPerson(store: StreamStore): Promise<PersonState[]> {
  const filter = { key_prefix: personStream("").key };
  const streams = await listStreams(store, { kind: "system", owner: null, filter });
  const found = streams.flatMap((stream) => personIn(stream) ?? []);
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}
