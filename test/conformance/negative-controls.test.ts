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
    "does not run the decision of an answered request again",
  ],
  [
    "forgets idempotency keys",
    "idempotency",
    "stores exactly one of 32 identical requests that run at once",
  ],
  ["forgets idempotency keys", "reopen", "remembers answered requests"],
  [
    "forgets idempotency keys",
    "property",
    "behaves like the reference in random sequences of operations",
  ],
  ["never compares digests", "idempotency", "refuses another request under the same key"],
  [
    "never compares digests",
    "idempotency",
    "stores exactly one of two different requests with one key that run at once",
  ],
  [
    "ignores the scope of keys",
    "idempotency",
    "treats the same key in another scope as another key",
  ],
  ["keeps appends one by one", "atomic-append", "stores nothing of a decision that has no events"],
  ["keeps appends one by one", "multi-stream", "stores no append if the last of several fails"],
  [
    "keeps appends one by one",
    "multi-stream",
    "shows a reader all streams of a transaction or none",
  ],
  [
    "decides on what it read a moment ago",
    "concurrent-decisions",
    "applies 64 decisions to one stream at once, each on the result of the previous one",
  ],
  [
    "decides on what it read a moment ago",
    "concurrent-decisions",
    "lets only one of 64 decisions create a key, and shows its stream to the others",
  ],
  [
    "decides on what it read a moment ago",
    "two-handles",
    "store every append if both write to one stream at once",
  ],
  [
    "overwrites what came between",
    "concurrent-decisions",
    "applies 64 decisions to one stream at once, each on the result of the previous one",
  ],
  [
    "overwrites what came between",
    "concurrent-decisions",
    "passes each decision the rows that the previous one left",
  ],
  [
    "overwrites what came between",
    "expected-version",
    "accepts only one of 16 writes that expect the same version",
  ],
  [
    "overwrites what came between",
    "lease",
    "never lets a former holder append after the next holder",
  ],
  [
    "loads a further stream too early",
    "load",
    "passes the further stream as the previous decision left it",
  ],
  ["leaves a trace of what it refused", "refusal", "stores nothing in an empty store"],
  ["leaves a trace of what it refused", "refusal", "leaves a stream unchanged"],
  [
    "leaves a trace of what it refused",
    "big-payloads",
    "refuses a larger body and stores nothing of its transaction",
  ],
  [
    "hands out what it holds",
    "atomic-append",
    "protects its data from callers that change the objects they passed or received",
  ],
  [
    "lets anyone touch anything",
    "undeclared",
    "throws on an append to a stream that was not declared, and stores nothing",
  ],
  ["cuts long bodies", "big-payloads", "stores a body of exactly the limit"],
  [
    "cuts long bodies",
    "big-payloads",
    "refuses a larger body and stores nothing of its transaction",
  ],
  [
    "makes names fit",
    "indexed-texts",
    "accepts a name of 512 bytes and refuses texts that cannot be indexed",
  ],
  [
    "gives a lease to everyone who asks",
    "lease",
    "is refused while a live holder has it, and the refusal names the holder",
  ],
  [
    "gives a lease to everyone who asks",
    "lease",
    "is granted to only one of 16 holders that ask at once on two handles",
  ],
  [
    "gives a lease to everyone who asks",
    "property",
    "behaves like the reference in random sequences of operations",
  ],
  ["uses an epoch again", "lease", "has a higher epoch at each grant"],
  ["uses an epoch again", "lease", "refuses an append under a lost or released lease"],
  [
    "renews a lost lease",
    "lease",
    "expires by time unless renewed, if its holder's process cannot be checked",
  ],
  [
    "does not know the dead",
    "lease",
    "expires by time unless renewed, if its holder's process cannot be checked",
  ],
  ["renews a lost lease", "lease", "cannot be released or renewed by a former holder"],
  ["renews a lost lease", "lease", "can be released by its holder"],
  ["lets anyone release a lease", "lease", "cannot be released or renewed by a former holder"],
  [
    "does not know the dead",
    "lease",
    "is shown as dead after its holder died, until someone acquires it",
  ],
  ["ends a page inside of a place", "paging", "never splits the items of one place between pages"],
  [
    "ends a page inside of a place",
    "property",
    "behaves like the reference in random sequences of operations",
  ],
  [
    "counts pages of a list",
    "paging",
    "lists each unchanged stream once while others are created and changed",
  ],
  [
    "lists everything when it does not know a filter",
    "filters",
    "cause an error if they are unknown",
  ],
  [
    "knows the fields of sessions alone",
    "listing",
    "has the fields that the store was opened with, also after it is reopened",
  ],
  ["makes listings fit", "listing", "needs a value for each field, or the stream is not stored"],
  ["settles whatever it keeps", "filters", "select by each field of the listing"],
  [
    "settles whatever it keeps",
    "property",
    "behaves like the reference in random sequences of operations",
  ],
  [
    "never settles again",
    "filters",
    "find the unsettled streams of every owner, and only while they are unsettled",
  ],
  [
    "drops fields that are null",
    "rows",
    "replace whole fields: null is a value, and objects and arrays are not merged",
  ],
  [
    "drops fields that are null",
    "property",
    "behaves like the reference in random sequences of operations",
  ],
  [
    "sets fields instead of defining them",
    "unicode",
    "merges a patch with a field named __proto__ like any other",
  ],
  [
    "shows a fork what its parent did later",
    "fork",
    "has the rows as of the fork point, even if the parent patches them later",
  ],
  ["shows a fork what its parent did later", "fork", "can be made inside inherited history"],
  [
    "shows a fork what its parent did later",
    "property",
    "behaves like the reference in random sequences of operations",
  ],
  [
    "bounds pages by count alone",
    "bytes",
    "limits a page of events by bytes, in both directions, to at least one event",
  ],
  [
    "bounds pages by count alone",
    "bytes",
    "limits a page of rows by bytes, and never splits a place",
  ],
  ["bounds pages by count alone", "bytes", "limits an answer about many streams by bytes"],
  [
    "bounds pages by count alone",
    "bytes",
    "limits a page of the feed by bytes, without skipping or repeating events",
  ],
  ["reads many one after the other", "read", "returns all streams as of one moment"],
  [
    "leaves out of many what there is not",
    "read",
    "finds streams by kind, owner and key, and returns nothing for unknown ones",
  ],
  [
    "counts streams instead of what waits in them",
    "tally",
    "counts streams and their waiting items by status, each stream once",
  ],
  [
    "counts everyone's streams",
    "tally",
    "keeps owners and kinds apart, and is empty if there are no streams",
  ],
  ["counts at two moments", "tally", "is consistent while streams change"],
  [
    "has no older heads",
    "fork",
    "finds a head at most 64 events before any seq, across fork points",
  ],
  [
    "takes the newest head for an older one",
    "fork",
    "finds a head at most 64 events before any seq, across fork points",
  ],
  [
    "takes the newest head for an older one",
    "property",
    "behaves like the reference in random sequences of operations",
  ],
  [
    "skips an event of the feed now and then",
    "feed",
    "contains all events of a transaction, those of each stream in order",
  ],
  ["skips an event of the feed now and then", "reopen", "finds everything unchanged"],
  ["repeats the last event of a page", "feed", "continues from any cursor, with pages of any size"],
  ["never calls", "feed", "calls watchers for commits of the same handle and of another one"],
  ["calls late", "feed", "calls watchers within 50 ms (the median of nine commits)"],
  ["calls those who stopped", "feed", "does not call a watcher that has stopped"],
  [
    "calls inherited events its own",
    "fork",
    "names the stream that wrote each event, patch and head, at any depth",
  ],
  [
    "keeps bytes as JSON",
    "content",
    "can be bytes in bodies, heads and patches, and is returned unchanged",
  ],
  ["opens no rows by events", "rows", "can be opened by an event, and its data is the first patch"],
  ["merges patches", "rows", "are returned as they were appended, each patch with its seq"],
  ["finds the newest first", "names", "find the streams that recorded them, oldest first"],
  [
    "ignores what an owner may hold",
    "blobs",
    "never exceeds an owner's quota, even if many blobs are stored at once",
  ],
  ["cuts off the last byte of a blob", "blobs", "returns the stored bytes in chunks"],
  ["shows blobs of every stream to all", "blobs", "shows a stream only its own blobs"],
  [
    "shows blobs of every stream to all",
    "blobs",
    "shares with a fork the blobs from before the fork, even after the original stream is purged",
  ],
  ["drops the bytes of others too", "blobs", "keeps shared bytes until the last stream drops them"],
  [
    "gives the id of a purged stream to another",
    "purge",
    "never gives the id to another stream, even with another key or owner",
  ],
  [
    "forks after the last event that it knows",
    "fork",
    "is refused after an event of its own transaction, and nothing of that transaction is stored",
  ],
  [
    "purges nothing",
    "purge",
    "removes a stream from everything that can be read, and frees its key",
  ],
  ["purges nothing", "property", "behaves like the reference in random sequences of operations"],
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
