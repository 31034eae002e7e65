import type { StoredRow } from "../../contract/stream.ts";
import { loadStream, readRows } from "../read-streams.ts";
import type { StreamStore } from "../stream-store.ts";
import { markerId, readFeed } from "./follow-feed.ts";
import { countTo, idOf } from "./notebook.ts";
import { readList, readLog, readNames } from "./turn-pages.ts";

const shown = {
  ids: countTo(12).map(idOf),
  owners: ["ann", "bob"],
  kinds: ["session", "task", "system"],
  names: ["red", "blue"],
  rows: ["item", "other"],
} as const;

/**
 * Everything that a store shows of its first dozen notebooks, for comparison with itself later or with another store.
 */
export async function readEverything(store: StreamStore) {
  const streams = [];
  for (const id of shown.ids) streams.push(await readStream(store, id));
  const lists = [];
  for (const owner of [...shown.owners, null]) {
    for (const kind of shown.kinds) {
      const listed = await readList(store, { kind, owner, filter: {}, limit: 3 });
      lists.push({ owner, kind, streams: listed.filter(({ id }) => id !== markerId) });
    }
  }
  const names = [];
  for (const owner of shown.owners) {
    for (const name of shown.names) {
      const places = await readNames(store, owner, name, 2);
      names.push({ owner, name, places: places.map(({ id, seq }) => ({ id, seq })) });
    }
  }
  return { streams, lists, names, feed: await readFeed(store, "", 7) };
}

export async function readStream(store: StreamStore, id: string) {
  const rows: (readonly StoredRow[])[] = [];
  for (const kind of shown.rows) rows.push(await readRows(store, id, { kind }));
  return { stream: await loadStream(store, { id }), events: await readLog(store, id), rows };
}
