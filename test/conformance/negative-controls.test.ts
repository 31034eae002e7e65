import fc from "fast-check";
import { expect, it } from "vitest";
import { faults } from "../../src/store/conformance/faulty-stores.ts";
import { guarantees } from "../../src/store/conformance/store-conformance.ts";
import { collectClaims, type StoreSettings } from "../../src/store/conformance/suite.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { alterMemoryBlobs, openSharedMemory } from "./open-shared-memory.ts";

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
  ["stores appends one by one", "atomic-append", "stores nothing of a decision that has no events"],
  ["stores appends one by one", "multi-stream", "stores no append if the last of several fails"],
  [
    "stores appends one by one",
    "multi-stream",
    "shows a reader all streams of a transaction or none",
  ],
  [
    "runs decisions on outdated streams",
    "concurrent-decisions",
    "applies 64 decisions to one stream at once, each on the result of the previous one",
  ],
  [
    "runs decisions on outdated streams",
    "concurrent-decisions",
    "lets only one of 64 decisions create a key, and shows its stream to the others",
  ],
  [
    "runs decisions on outdated streams",
    "two-handles",
    "store every append if both write to one stream at once",
  ],
  [
    "overwrites concurrent appends",
    "concurrent-decisions",
    "applies 64 decisions to one stream at once, each on the result of the previous one",
  ],
  [
    "overwrites concurrent appends",
    "concurrent-decisions",
    "passes each decision the rows that the previous one left",
  ],
  [
    "overwrites concurrent appends",
    "expected-version",
    "accepts only one of 16 writes that expect the same version",
  ],
  [
    "overwrites concurrent appends",
    "lease",
    "never lets a former holder append after the next holder",
  ],
  [
    "loads a further stream too early",
    "load",
    "passes the further stream as the previous decision left it",
  ],
  ["stores something after a refusal", "refusal", "stores nothing in an empty store"],
  ["stores something after a refusal", "refusal", "leaves a stream unchanged"],
  [
    "stores something after a refusal",
    "big-payloads",
    "refuses a larger body and stores nothing of its transaction",
  ],
  [
    "returns its own objects instead of copies",
    "atomic-append",
    "protects its data from callers that change the objects they passed or received",
  ],
  [
    "accepts appends to undeclared streams",
    "undeclared",
    "throws on an append to a stream that was not declared, and stores nothing",
  ],
  ["loses long bodies", "big-payloads", "stores a body of exactly the limit"],
  [
    "loses long bodies",
    "big-payloads",
    "refuses a larger body and stores nothing of its transaction",
  ],
  [
    "changes names to fit an index",
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
  ["reuses an epoch", "lease", "has a higher epoch at each grant"],
  ["reuses an epoch", "lease", "refuses an append under a lost or released lease"],
  [
    "renews a lost lease",
    "lease",
    "expires by time unless renewed, if its holder's process cannot be checked",
  ],
  [
    "shows dead holders as live",
    "lease",
    "expires by time unless renewed, if its holder's process cannot be checked",
  ],
  ["renews a lost lease", "lease", "cannot be released or renewed by a former holder"],
  ["renews a lost lease", "lease", "can be released by its holder"],
  ["lets anyone release a lease", "lease", "cannot be released or renewed by a former holder"],
  [
    "shows dead holders as live",
    "lease",
    "is shown as dead after its holder died, until someone acquires it",
  ],
  ["ends a page inside a place", "paging", "never splits the items of one place between pages"],
  [
    "ends a page inside a place",
    "property",
    "behaves like the reference in random sequences of operations",
  ],
  [
    "uses offsets as list cursors",
    "paging",
    "lists each unchanged stream once while others are created and changed",
  ],
  ["ignores unknown filters", "filters", "cause an error if they are unknown"],
  [
    "supports only the listing fields of sessions",
    "listing",
    "has the fields that the store was opened with, also after it is reopened",
  ],
  [
    "replaces invalid listings",
    "listing",
    "needs a value for each field, or the stream is not stored",
  ],
  ["stores every stream as settled", "filters", "select by each field of the listing"],
  [
    "stores every stream as settled",
    "property",
    "behaves like the reference in random sequences of operations",
  ],
  [
    "never marks an unsettled stream as settled",
    "filters",
    "find the unsettled streams of every owner, and only while they are unsettled",
  ],
  [
    "drops fields with the value null",
    "rows",
    "replace whole fields: null is a value, and objects and arrays are not merged",
  ],
  [
    "drops fields with the value null",
    "property",
    "behaves like the reference in random sequences of operations",
  ],
  [
    "assigns fields instead of defining them",
    "unicode",
    "merges a patch with a field named __proto__ like any other",
  ],
  [
    "shows a fork the later changes of its parent",
    "fork",
    "has the rows as of the fork point, even if the parent patches them later",
  ],
  ["shows a fork the later changes of its parent", "fork", "can be made inside inherited history"],
  [
    "shows a fork the later changes of its parent",
    "property",
    "behaves like the reference in random sequences of operations",
  ],
  [
    "limits pages only by count",
    "bytes",
    "limits a page of events by bytes, in both directions, to at least one event",
  ],
  [
    "limits pages only by count",
    "bytes",
    "limits a page of rows by bytes, and never splits a place",
  ],
  ["limits pages only by count", "bytes", "limits an answer about many streams by bytes"],
  [
    "limits pages only by count",
    "bytes",
    "limits a page of the feed by bytes, without skipping or repeating events",
  ],
  ["reads many streams one after the other", "read", "returns all streams as of one moment"],
  [
    "omits unknown streams from an answer",
    "read",
    "finds streams by kind, owner and key, and returns nothing for unknown ones",
  ],
  [
    "counts streams instead of waiting items",
    "tally",
    "counts streams and their waiting items by status, each stream once",
  ],
  [
    "counts the streams of all owners",
    "tally",
    "keeps owners and kinds apart, and is empty if there are no streams",
  ],
  ["counts at two different moments", "tally", "is consistent while streams change"],
  [
    "finds no older heads",
    "fork",
    "finds a head at most 64 events before any seq, across fork points",
  ],
  [
    "returns the newest head instead of an older one",
    "fork",
    "finds a head at most 64 events before any seq, across fork points",
  ],
  [
    "returns the newest head instead of an older one",
    "property",
    "behaves like the reference in random sequences of operations",
  ],
  [
    "skips some events of the feed",
    "feed",
    "contains all events of a transaction, those of each stream in order",
  ],
  ["skips some events of the feed", "reopen", "finds everything unchanged"],
  [
    "finds the next event instead",
    "feed",
    "finds an event by the cursor after it, by its place in its stream, and at the end",
  ],
  ["finds nothing for purged events", "feed", "tells purged events from those that it never had"],
  ["repeats the last event of a page", "feed", "continues from any cursor, with pages of any size"],
  [
    "never calls watchers",
    "feed",
    "calls watchers for commits of the same handle and of another one",
  ],
  [
    "never calls the watchers of a stream",
    "watch",
    "calls the watchers of a stream for its commits, of the same handle and of another one",
  ],
  [
    "never calls the watchers of a stream",
    "watch",
    "calls the watchers of a stream when it is purged",
  ],
  [
    "passes an outdated seq to the watchers of a stream",
    "watch",
    "calls the watchers of a stream for its commits, of the same handle and of another one",
  ],
  [
    "calls the watchers of a stream for every commit",
    "watch",
    "does not call the watchers of a stream for the commits to others",
  ],
  ["calls watchers late", "feed", "calls watchers within 50 ms (the median of nine commits)"],
  ["calls watchers that have stopped", "feed", "does not call a watcher that has stopped"],
  [
    "shows a fork as the writer of inherited events",
    "fork",
    "names the stream that wrote each event, patch and head, at any depth",
  ],
  [
    "stores bytes as JSON",
    "content",
    "can be bytes in bodies, heads and patches, and is returned unchanged",
  ],
  [
    "ignores rows that events open",
    "rows",
    "can be opened by an event, and its data is the first patch",
  ],
  [
    "returns merged rows instead of patches",
    "rows",
    "are returned as they were appended, each patch with its seq",
  ],
  [
    "finds streams by name, newest first",
    "names",
    "find the streams that recorded them, oldest first",
  ],
  [
    "ignores the quota of an owner",
    "blobs",
    "never exceeds an owner's quota, even if many blobs are stored at once",
  ],
  ["counts a blob again for each fork", "blobs", "counts a blob once, however many forks share it"],
  [
    "replaces the damaged end of a blob with zeros",
    "blobs",
    "refuses altered blobs, and never returns all of their bytes (change a byte)",
  ],
  [
    "replaces the damaged end of a blob with zeros",
    "blobs",
    "refuses altered blobs, and never returns all of their bytes (exchange two)",
  ],
  [
    "ends a damaged blob early, without an error",
    "blobs",
    "refuses altered blobs, and never returns all of their bytes (change a byte)",
  ],
  ["loses the last byte of a blob", "blobs", "returns the stored bytes in chunks"],
  ["shows the blobs of every stream to all streams", "blobs", "shows a stream only its own blobs"],
  [
    "shows the blobs of every stream to all streams",
    "blobs",
    "shares with a fork the blobs from before the fork, even after the original stream is purged",
  ],
  [
    "drops a blob from other streams too",
    "blobs",
    "keeps shared bytes until the last stream drops them",
  ],
  [
    "gives the id of a purged stream to another stream",
    "purge",
    "never gives the id to another stream, even with another key or owner",
  ],
  [
    "forks after an earlier event if the requested one does not exist",
    "fork",
    "is refused after an event of its own transaction, and nothing of that transaction is stored",
  ],
  [
    "purges nothing",
    "purge",
    "removes a stream from everything that can be read, and frees its key",
  ],
  ["purges nothing", "property", "behaves like the reference in random sequences of operations"],
  [
    "purges a stream that has changed",
    "purge",
    "leaves a stream that has changed since its purge was decided",
  ],
];

type Caught = readonly [
  fault: keyof typeof faults,
  guarantee: keyof typeof guarantees,
  title: string,
];

for (const [fault, guarantee, title] of caught) {
  const claim = findClaim(fault, guarantee, title);
  // A claim that waits forever fails by the time limit.
  const limit = /^(never calls|passes)/.test(fault) ? 1_000 : 30_000;
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
    alterBlobs: alterMemoryBlobs,
  } as const;
  const claims = collectClaims(broken, guarantees[guarantee]);
  const claim = claims.find((each) => each.title === title);
  if (!claim) throw new Error(`there is no claim ${guarantee} > ${title}`);
  return claim;
}
