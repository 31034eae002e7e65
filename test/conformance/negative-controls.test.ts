import fc from "fast-check";
import { expect, it } from "vitest";
import { faults } from "../../src/store/conformance/faulty-stores.ts";
import { guarantees } from "../../src/store/conformance/store-conformance.ts";
import { collectClaims, type StoreSettings } from "../../src/store/conformance/suite.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { openSharedMemory } from "./open-shared-memory.ts";

// A failure is enough here; the smallest reason does not matter.
fc.configureGlobal({ endOnFailure: true });

/** For each fault, claims that must fail on it, because a check that cannot fail checks nothing. */
const caught: readonly Caught[] = [
  [
    "forgets idempotency keys",
    "idempotency",
    "answers a repeated request with the seq range of the first",
  ],
  [
    "forgets idempotency keys",
    "idempotency",
    "does not run the decision of a request that was answered",
  ],
  ["forgets idempotency keys", "idempotency", "keeps exactly one of 32 duplicates in flight"],
  ["forgets idempotency keys", "reopen", "still knows the requests it answered"],
  [
    "forgets idempotency keys",
    "property",
    "behaves like the reference, whatever it is asked to do",
  ],
  ["never compares digests", "idempotency", "refuses another request under the same key"],
  [
    "never compares digests",
    "idempotency",
    "keeps exactly one of two bodies in flight under one key",
  ],
  [
    "ignores the scope of keys",
    "idempotency",
    "takes the same key in another scope for another key",
  ],
  ["keeps appends one by one", "atomic-append", "keeps nothing of a decision that has no events"],
  [
    "keeps appends one by one",
    "multi-stream",
    "keeps none when the last of several cannot be kept",
  ],
  [
    "keeps appends one by one",
    "multi-stream",
    "shows a reader all of a transaction's streams or none",
  ],
  [
    "decides on what it read a moment ago",
    "concurrent-decisions",
    "applies 64 at once to one stream, each on what the one before it left",
  ],
  [
    "decides on what it read a moment ago",
    "concurrent-decisions",
    "lets one of 64 that create the same key win, and shows it to the others",
  ],
  [
    "decides on what it read a moment ago",
    "two-handles",
    "keep every append of a race on one stream",
  ],
  [
    "overwrites what came between",
    "concurrent-decisions",
    "applies 64 at once to one stream, each on what the one before it left",
  ],
  [
    "overwrites what came between",
    "concurrent-decisions",
    "shows each the rows that the one before it left",
  ],
  [
    "overwrites what came between",
    "expected-version",
    "lets one of 16 that expect the same version win",
  ],
  [
    "overwrites what came between",
    "lease",
    "never lets a writer append after one that took over from it",
  ],
  [
    "loads a further stream too early",
    "load",
    "decides on that stream as the decision before left it",
  ],
  ["leaves a trace of what it refused", "refusal", "leaves nothing in an empty store"],
  ["leaves a trace of what it refused", "refusal", "leaves a stream as it was"],
  [
    "leaves a trace of what it refused",
    "big-payloads",
    "refuses a larger body and keeps nothing of its transaction",
  ],
  [
    "hands out what it holds",
    "atomic-append",
    "keeps history from callers that hold an object of it",
  ],
  [
    "lets anyone touch anything",
    "undeclared",
    "throws on an append to a stream that was not declared, and keeps nothing",
  ],
  ["cuts long bodies", "big-payloads", "keeps a body of exactly the limit"],
  [
    "cuts long bodies",
    "big-payloads",
    "refuses a larger body and keeps nothing of its transaction",
  ],
  [
    "makes names fit",
    "indexed-texts",
    "takes a name of 512 bytes and refuses what no index can hold",
  ],
  [
    "gives a lease to everyone who asks",
    "lease",
    "is refused while a live holder has it, and says who",
  ],
  [
    "gives a lease to everyone who asks",
    "lease",
    "is granted to one of 16 that ask at once, on two handles",
  ],
  [
    "gives a lease to everyone who asks",
    "property",
    "behaves like the reference, whatever it is asked to do",
  ],
  ["uses an epoch again", "lease", "has a higher epoch at each grant, whatever came between"],
  ["uses an epoch again", "lease", "refuses an append from an expired lease"],
  [
    "renews a lost lease",
    "lease",
    "of a holder that cannot be looked at is held by time, and longer when renewed",
  ],
  [
    "does not know the dead",
    "lease",
    "of a holder that cannot be looked at is held by time, and longer when renewed",
  ],
  ["renews a lost lease", "lease", "cannot be released or renewed by a holder that lost it"],
  ["renews a lost lease", "lease", "can be released by its holder"],
  [
    "lets anyone release a lease",
    "lease",
    "cannot be released or renewed by a holder that lost it",
  ],
  [
    "does not know the dead",
    "lease",
    "of a dead holder says so, and stays the newest until someone acquires",
  ],
  ["ends a page inside of a place", "paging", "splits the items of one place over no two pages"],
  [
    "ends a page inside of a place",
    "property",
    "behaves like the reference, whatever it is asked to do",
  ],
  [
    "counts pages of a list",
    "paging",
    "lists each unchanged stream once while others come and change",
  ],
  [
    "lists everything when it does not know a filter",
    "filters",
    "that nobody knows are an error, never everything",
  ],
  [
    "knows the fields of sessions alone",
    "listing",
    "has the fields that the store was opened with, also when it is opened again",
  ],
  ["makes listings fit", "listing", "has a value for each field, or the stream is not kept"],
  [
    "settles whatever it keeps",
    "filters",
    "select by each of the things that a stream is listed under",
  ],
  [
    "settles whatever it keeps",
    "property",
    "behaves like the reference, whatever it is asked to do",
  ],
  [
    "never settles again",
    "filters",
    "find what is unsettled from when it is until it is not, of every owner",
  ],
  [
    "drops fields that are null",
    "rows",
    "replace whole fields: null stays, objects and arrays are not mixed",
  ],
  [
    "drops fields that are null",
    "property",
    "behaves like the reference, whatever it is asked to do",
  ],
  ["sets fields instead of defining them", "unicode", "merges a patch of __proto__ as a field"],
  [
    "shows a fork what its parent did later",
    "fork",
    "has rows as of the cut, however the parent's are patched later",
  ],
  ["shows a fork what its parent did later", "fork", "can be made inside of inherited history"],
  [
    "shows a fork what its parent did later",
    "property",
    "behaves like the reference, whatever it is asked to do",
  ],
  [
    "bounds pages by count alone",
    "bytes",
    "cuts a page of events by its bytes, forwards and backwards, never to nothing",
  ],
  [
    "bounds pages by count alone",
    "bytes",
    "cuts a page of rows by its bytes, and never inside a place",
  ],
  ["bounds pages by count alone", "bytes", "ends an answer about many streams after its bytes"],
  [
    "bounds pages by count alone",
    "bytes",
    "cuts a page of the feed by its bytes, and skips and repeats none",
  ],
  ["reads many one after the other", "read", "shows all streams as of one moment"],
  [
    "leaves out of many what there is not",
    "read",
    "finds streams by their keys, and only where they are",
  ],
  [
    "counts streams instead of what waits in them",
    "tally",
    "counts streams and what waits in them under each status, each once",
  ],
  [
    "counts everyone's streams",
    "tally",
    "keeps owners and kinds apart, and is empty where there is nothing",
  ],
  ["counts at two moments", "tally", "tells of one moment, whatever changes meanwhile"],
  ["has no older heads", "fork", "finds a head at most 64 events before any seq, across cuts"],
  [
    "takes the newest head for an older one",
    "fork",
    "finds a head at most 64 events before any seq, across cuts",
  ],
  [
    "takes the newest head for an older one",
    "property",
    "behaves like the reference, whatever it is asked to do",
  ],
  [
    "skips an event of the feed now and then",
    "feed",
    "has all of a transaction, each stream's part in order",
  ],
  ["skips an event of the feed now and then", "reopen", "finds everything as it was"],
  [
    "repeats the last event of a page",
    "feed",
    "goes on from any cursor, whatever the size of the pages",
  ],
  ["never calls", "feed", "calls its watchers for commits of this and of another handle"],
  ["calls late", "feed", "calls its watchers within 50 ms, as the middle of nine commits has it"],
  ["calls those who stopped", "feed", "leaves a watcher that stopped alone"],
  [
    "calls inherited events its own",
    "fork",
    "says which stream wrote each event, patch and head, however deep the fork is",
  ],
  [
    "keeps bytes as JSON",
    "content",
    "may be bytes: in bodies, heads and patches, each as it was handed in",
  ],
  ["opens no rows by events", "rows", "may be opened by an event, whose data is the first patch"],
  ["merges patches", "rows", "are answered as they were appended, each patch with its seq"],
  ["finds the newest first", "names", "find the streams that put them down, oldest first"],
  [
    "ignores what an owner may hold",
    "blobs",
    "never exceeds what an owner may hold, when many are put at once",
  ],
  ["cuts off the last byte of a blob", "blobs", "gives back what was put, in chunks"],
  ["shows blobs of every stream to all", "blobs", "shows a stream only what it holds"],
  [
    "shows blobs of every stream to all",
    "blobs",
    "shares with a fork what was put before they part, also when its origin is purged",
  ],
  [
    "drops the bytes of others too",
    "blobs",
    "keeps equal bytes until the last that holds them lets go",
  ],
  [
    "gives the id of a purged stream to another",
    "purge",
    "never lets another stream have the id, under whatever key or owner",
  ],
  [
    "forks after the last event that it knows",
    "fork",
    "is refused after an event of its own transaction, and nothing of that is kept",
  ],
  ["purges nothing", "purge", "takes a stream out of every way to read it, and frees its key"],
  ["purges nothing", "property", "behaves like the reference, whatever it is asked to do"],
];

type Caught = readonly [
  fault: keyof typeof faults,
  guarantee: keyof typeof guarantees,
  title: string,
];

for (const [fault, guarantee, title] of caught) {
  const claim = findClaim(fault, guarantee, title);
  // A claim that waits forever fails by the time limit.
  const limit = fault === "never calls" ? 1_000 : 30_000;
  it.fails(`a store that ${fault} fails ${guarantee} > ${title}`, claim.run, limit);
}

it("catches every fault", () => {
  expect(new Set(caught.map(([fault]) => fault))).toEqual(new Set(Object.keys(faults)));
});

function findClaim(...[fault, guarantee, title]: Caught) {
  const broken = {
    name: `a store that ${fault}`,
    durable: false,
    open: (place: StoreSettings) => faults[fault](openSharedMemory(place)),
    reference: openMemoryStore,
  } as const;
  const claims = collectClaims(broken, guarantees[guarantee]);
  const claim = claims.find((each) => each.title === title);
  if (!claim) throw new Error(`there is no claim ${guarantee} > ${title}`);
  return claim;
}
