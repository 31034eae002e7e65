import { setImmediate } from "node:timers/promises";
import { SESSION_LISTING } from "../../contract/stream.ts";
import { checkFilter, filterNames } from "../list-rules.ts";
import { mergeRows } from "../merge-rows.ts";
import { loadStream } from "../read-streams.ts";
import type { StreamPart } from "../stream-store.ts";
import { blobFaults } from "./blob-faults.ts";
import {
  type Fault,
  forkAtMost,
  onAppend,
  onLease,
  onPart,
  onRows,
  onTransaction,
  readParent,
} from "./break-store.ts";
import { BOOK } from "./claims/listing.ts";
import { decisionFaults } from "./decision-faults.ts";
import { idOf } from "./notebook.ts";

/** Stores with exactly one fault, by that fault. */
export const faults = {
  "forgets idempotency keys": onTransaction(({ idempotency, ...transaction }) => transaction),

  "never compares digests": onTransaction((transaction) =>
    transaction.idempotency
      ? { ...transaction, idempotency: { ...transaction.idempotency, digest: "" } }
      : transaction,
  ),

  "ignores the scope of keys": onTransaction((transaction) =>
    transaction.idempotency
      ? { ...transaction, idempotency: { ...transaction.idempotency, scope: "" } }
      : transaction,
  ),

  ...blobFaults,

  ...decisionFaults,

  "returns its own objects instead of copies": (store) => {
    const held = new Map<string, StreamPart>();
    return onPart((part) => {
      const { id, seq } = part.stream;
      const kept = held.get(`${id} ${seq}`) ?? structuredClone(part);
      held.set(`${id} ${seq}`, kept);
      return { ...part, stream: kept.stream };
    })(store);
  },

  "accepts appends to undeclared streams": onTransaction((transaction) => ({
    ...transaction,
    streams: [...transaction.streams, { id: idOf(2) }],
  })),

  "loses long bodies": onAppend((append) => ({
    ...append,
    events: append.events.map((event) => ({
      ...event,
      data: JSON.stringify(event.data).length > 1_000_000 ? {} : event.data,
    })),
  })),

  "changes names to fit an index": onAppend((append) => ({
    ...append,
    names: append.names.map((name) => name.toWellFormed().replaceAll("\0", "").slice(0, 99)),
  })),

  "gives a lease to everyone who asks": onLease((store, id, request) =>
    store.lease(id, "acquire" in request ? { ...request, force: true } : request),
  ),

  "reuses an epoch": onLease(async (store, id, request) => {
    const answer = await store.lease(id, request);
    return answer.granted ? { ...answer, epoch: 1 } : answer;
  }),

  "renews a lost lease": onLease((store, id, request) =>
    "renew" in request
      ? Promise.resolve({ granted: true, epoch: request.renew, renew_within: 1000 })
      : store.lease(id, request),
  ),

  "lets anyone release a lease": onLease(async (store, id, request) => {
    if (!("release" in request)) return store.lease(id, request);
    const stream = await loadStream(store, { id });
    return store.lease(id, { release: stream?.lease?.epoch ?? 0 });
  }),

  "shows dead holders as live": onPart((part) => {
    const { stream } = part;
    const lease = stream.lease && { ...stream.lease, live: true };
    return { ...part, stream: { ...stream, lease } };
  }),

  "ends a page inside a place": onRows((patches, { before, limit }) =>
    before === undefined ? patches.slice(0, limit) : patches,
  ),

  "uses offsets as list cursors": (store) => ({
    ...store,
    list: async ({ after = "0", ...query }) => {
      const { streams } = await store.list({ ...query, limit: 999 });
      const end = Number(after) + query.limit;
      const next = end < streams.length ? `${end}` : null;
      return { streams: streams.slice(Number(after), end), damaged: [], next };
    },
  }),

  "ignores unknown filters": (store) => ({
    ...store,
    list: ({ filter, ...query }) => {
      const names = filterNames(SESSION_LISTING);
      const known = Object.entries(filter).filter(([name]) => names.includes(name));
      return store.list({ ...query, filter: Object.fromEntries(known) });
    },
  }),

  "supports only the listing fields of sessions": (store) => ({
    ...store,
    list: async (query) => {
      checkFilter(query.filter, SESSION_LISTING);
      return store.list(query);
    },
  }),

  "replaces invalid listings": onAppend((append) =>
    "author" in append.listing ? { ...append, listing: BOOK } : append,
  ),

  "stores every stream as settled": onAppend((append) => ({
    ...append,
    listing: { ...append.listing, unsettled: 0 },
  })),

  "never marks an unsettled stream as settled": (store) => {
    const unsettled = new Set<string>();
    return onAppend((append) => {
      if (append.listing.unsettled === 1) unsettled.add(append.id);
      const stays = unsettled.has(append.id) ? 1 : 0;
      return { ...append, listing: { ...append.listing, unsettled: stays } };
    })(store);
  },

  "drops fields with the value null": onRows((patches) =>
    patches.map(({ data, ...patch }) => ({
      ...patch,
      data: Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null)),
    })),
  ),

  "assigns fields instead of defining them": onRows((patches) =>
    patches.map((patch) => ({ ...patch, data: Object.assign({}, patch.data) })),
  ),

  "shows a fork the later changes of its parent": (store) => {
    const parents = new Map<string, string>();
    const noted = onAppend((append) => {
      if (append.create?.base) parents.set(append.id, append.create.base.id);
      return append;
    });
    return {
      ...noted(store),
      read: async (reads, bytes) => {
        const parts = await store.read(reads, bytes);
        const later = await store.read(
          reads.map((read) => ("id" in read.ref ? readParent(read, read.ref.id, parents) : read)),
          bytes,
        );
        return parts.map((part, n) => part && { ...part, rows: later[n]?.rows ?? part.rows });
      },
    };
  },

  "shows a fork as the writer of inherited events": onPart((part) => ({
    ...part,
    events: part.events.map((page) => page.map((event) => ({ ...event, writer: part.stream.id }))),
  })),

  "stores bytes as JSON": onAppend((append) => ({
    ...append,
    events: append.events.map((event) => ({
      ...event,
      data: JSON.parse(JSON.stringify(event.data)),
    })),
  })),

  "ignores rows that events open": onAppend((append) => ({
    ...append,
    events: append.events.map(({ row, ...event }) => event),
  })),

  "returns merged rows instead of patches": onRows((patches) =>
    mergeRows(patches).map((row) => ({ ...row, seq: row.place, writer: "" })),
  ),

  "limits pages only by count": (store) => ({
    ...store,
    read: (reads) =>
      store.read(
        reads.map(({ events = [], rows = [], ...read }) => ({
          ...read,
          events: events.map(({ bytes, ...range }) => range),
          rows: rows.map(({ bytes, ...query }) => query),
        })),
      ),
    readFeed: ({ after, limit }) => store.readFeed({ after, limit }),
  }),

  "reads many streams one after the other": (store) => ({
    ...store,
    read: async (reads) => {
      const parts = [];
      for (const read of reads) {
        parts.push(...(await store.read([read])));
        await setImmediate();
      }
      return parts;
    },
  }),

  "omits unknown streams from an answer": (store) => ({
    ...store,
    read: async (reads) => (await store.read(reads)).filter((part) => part !== undefined),
  }),

  "counts streams instead of waiting items": (store) => ({
    ...store,
    tally: async (...asked) =>
      (await store.tally(...asked)).map((each) => ({ ...each, sum: each.streams })),
  }),

  "counts the streams of all owners": (store) => ({
    ...store,
    tally: async (kind) => {
      const owners = ["ann", "bob"];
      return (await Promise.all(owners.map((owner) => store.tally(kind, owner)))).flat();
    },
  }),

  "counts at two different moments": (store) => ({
    ...store,
    tally: async (...asked) => {
      const tallies = await store.tally(...asked);
      await setImmediate();
      const later = await store.tally(...asked);
      return tallies.map((each, n) => ({ ...each, sum: later[n]?.sum ?? 0 }));
    },
  }),

  "finds no older heads": onPart((part) => ({ ...part, heads: part.heads.map(() => undefined) })),

  "returns the newest head instead of an older one": (store) => ({
    ...store,
    read: async (reads, bytes) =>
      (await store.read(reads, bytes)).map((part, n) => {
        if (!part) return part;
        const { id, seq: end, head } = part.stream;
        const heads = (reads[n]?.heads ?? []).map((seq) => Math.min(seq, end));
        return { ...part, heads: heads.map((seq) => ({ seq, head, writer: id })) };
      }),
  }),

  "skips some events of the feed": (store) => ({
    ...store,
    readFeed: async (query) => {
      const { events, cursor } = await store.readFeed(query);
      return { events: events.filter(({ seq }) => seq !== 2), cursor };
    },
  }),

  "repeats the last event of a page": (store) => ({
    ...store,
    readFeed: async (query) => {
      const page = await store.readFeed(query);
      return { ...page, cursor: `${Number(page.cursor) - (page.events.length > 1 ? 1 : 0)}` };
    },
  }),

  "finds the next event instead": (store) => ({
    ...store,
    findInFeed: (sought) =>
      store.findInFeed(
        sought === null || typeof sought === "string" ? sought : { ...sought, seq: sought.seq + 1 },
      ),
  }),

  "finds nothing for purged events": (store) => ({
    ...store,
    findInFeed: async (sought) => (await store.findInFeed(sought)) ?? undefined,
  }),

  "never calls watchers": (store) => ({ ...store, watch: () => () => {} }),

  "calls watchers late": (store) => ({
    ...store,
    watch: (onChange, stream) => store.watch(() => setTimeout(onChange, 200), stream),
  }),

  "calls watchers that have stopped": (store) => ({
    ...store,
    watch: (onChange, stream) => {
      store.watch(onChange, stream);
      return () => {};
    },
  }),

  "passes an outdated seq to the watchers of a stream": (store) => ({
    ...store,
    watch: (onChange, stream) => store.watch((seq = 1) => onChange(seq - 1), stream),
  }),

  "calls the watchers of a stream for every commit": (store) => ({
    ...store,
    watch: (onChange) => store.watch(onChange),
  }),

  "never calls the watchers of a stream": (store) => ({
    ...store,
    watch: (onChange, stream) => (stream === undefined ? store.watch(onChange) : () => {}),
  }),

  "finds streams by name, newest first": (store) => ({
    ...store,
    findByName: async (...asked) => (await store.findByName(...asked)).reverse(),
  }),

  "gives the id of a purged stream to another stream": (store) => {
    const purged = new Set<string>();
    const renamed = onAppend((append) =>
      purged.has(append.id) ? { ...append, id: append.id.replace("-7000-", "-7001-") } : append,
    );
    return {
      ...renamed(store),
      async purge(id, at) {
        purged.add(id);
        await store.purge(id, at);
      },
    };
  },

  "forks after an earlier event if the requested one does not exist": onAppend(forkAtMost),

  "purges nothing": (store) => ({ ...store, purge: async () => {} }),

  "purges a stream that has changed": (store) => ({
    ...store,
    purge: (id, at) => store.purge(id, at),
  }),
} as const satisfies Readonly<Record<string, Fault>>;
