import { isSessionHead } from "../../core/session/known-events.ts";
import { loadStream } from "../../store/read-streams.ts";
import type { StreamStore } from "../../store/stream-store.ts";
import { everySession } from "./every-session.ts";
import type { FoundSession } from "./find-session.ts";

/** Sessions that refer to an entity: by a recorded name, as the session itself, or as a session of the task. */
export async function findReferring(
  store: StreamStore,
  owner: string,
  entity: string,
): Promise<FoundSession[]> {
  const found = new Map<string, FoundSession>();
  for await (const session of everySession(store, owner, { task: entity })) {
    found.set(session.stream.id, session);
  }
  const refs = [
    { kind: "session", owner, key: entity } as const,
    ...(await placesNamed(store, owner, `entity:${entity}`)).map((id) => ({ id })),
  ];
  for (const ref of refs) {
    const stream = await loadStream(store, ref);
    const head = stream?.head;
    if (stream && isSessionHead(head)) found.set(stream.id, { stream, head });
  }
  return [...found.values()].filter(({ head }) => !head.deleted);
}

/** Every stream of an owner that recorded this name, oldest first. */
export async function placesNamed(
  store: StreamStore,
  owner: string,
  name: string,
): Promise<string[]> {
  const ids: string[] = [];
  let after: string | undefined;
  do {
    const page = await store.findByName(owner, name, {
      limit: 1000,
      ...(after !== undefined && { after }),
    });
    ids.push(...page.map((place) => place.id));
    after = page.at(-1)?.cursor;
  } while (after !== undefined);
  return ids;
}
