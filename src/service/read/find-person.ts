import type { PersonState } from "../../contract/head.ts";
import { isSystemHead } from "../../core/session/known-events.ts";
import { loadStream } from "../../store/read-streams.ts";
import type { StoredStream, StreamStore } from "../../store/stream-store.ts";
import { personStream } from "../record-system-fact.ts";

const PAGE = 1000;

/** Null for an owner without a person on record. */
export async function findPerson(store: StreamStore, name: string): Promise<PersonState | null> {
  return personIn(await loadStream(store, personStream(name)));
}

function personIn(stream: StoredStream | undefined): PersonState | null {
  return isSystemHead(stream?.head) ? (stream.head.person ?? null) : null;
}

/** All people on record, by name. */
export async function everyPerson(store: StreamStore): Promise<PersonState[]> {
  const found: PersonState[] = [];
  let after: string | null | undefined;
  while (after !== null) {
    const page = await store.list({
      kind: "system",
      owner: null,
      filter: { key_prefix: personStream("").key },
      limit: PAGE,
      ...(after !== undefined && { after }),
    });
    found.push(...page.streams.flatMap((stream) => personIn(stream) ?? []));
    after = page.next;
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}
