import fc from "fast-check";
import { refuse } from "../../contract/errors.ts";
import type { Listing } from "../../contract/stream.ts";
import type { StreamKind } from "../../contract/vocabulary.ts";
import type { Decision, Loaded, NewPatch, Transaction } from "../stream-store.ts";
import { countTo, idOf, keyed, moreLines, newNotebook, rowOf } from "./notebook.ts";

/** An operation of a caller. There are few streams, keys and holders, so that operations collide. */
export type Operation = Writing | Leasing | Purging | { readonly do: "reopen" };

interface Writing {
  readonly do: "begin" | "write" | "write to two" | "fork";
  readonly stream: number;
  /** A second stream to write to or to fork. */
  readonly other: number;
  readonly owner: string;
  readonly kind: StreamKind;
  /** The fork point, as a fraction of the whole. */
  readonly cut: number;
  readonly count: number;
  readonly patches: readonly Patch[];
  readonly names: string[];
  readonly listing: Partial<Listing>;
  readonly expected: number | null;
  readonly key: string | null;
  readonly body: string;
}

interface Patch {
  /** Fractions of the existing items. */
  readonly place: number;
  readonly seq: number;
  readonly nth: number;
  readonly kind: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface Leasing {
  readonly do: "acquire" | "take" | "renew" | "release" | "die";
  readonly stream: number;
  readonly holder: string;
  readonly epoch: number;
}

interface Purging {
  readonly do: "purge";
  readonly stream: number;
}

const streams = countTo(12);
const stream = fc.constantFrom(...streams);
const part = fc.constantFrom(0, 0.3, 0.6, 0.9);

const writing: fc.Arbitrary<Writing> = fc.record({
  do: fc.constantFrom("begin", "write", "write", "write", "write to two", "fork", "fork"),
  stream,
  other: stream,
  owner: fc.constantFrom("ann", "ann", "bob"),
  kind: fc.constantFrom("session", "session", "task"),
  cut: part,
  count: fc.integer({ min: 1, max: 5 }),
  patches: fc.array(
    fc.record({
      place: part,
      seq: part,
      nth: fc.integer({ min: 0, max: 1 }),
      kind: fc.constantFrom("item", "item", "other"),
      data: fc.dictionary(fc.constantFrom("a", "b"), fc.constantFrom(null, 1, [2], { y: 3 })),
    }),
    { maxLength: 4 },
  ),
  names: fc.subarray(["red", "blue"]),
  listing: fc.record({
    status: fc.constantFrom("active", "suspended", "failed"),
    agent: fc.constantFrom("coder", "tester"),
    waiting: fc.integer({ min: 0, max: 1 }),
    unsettled: fc.constantFrom(0, 1),
    pinned: fc.constantFrom(0, 1),
    created: fc.integer({ min: 0, max: 4 }),
    activity: fc.integer({ min: 0, max: 4 }),
  }),
  expected: fc.option(fc.integer({ min: 1, max: 9 }), { freq: 1 }),
  key: fc.constantFrom(null, null, null, null, null, "k1", "k2", "k3"),
  body: fc.constantFrom("this", "that"),
});

const leasing: fc.Arbitrary<Leasing> = fc.record({
  do: fc.constantFrom("acquire", "acquire", "take", "renew", "release", "die"),
  stream,
  holder: fc.constantFrom("one", "two", "three"),
  epoch: fc.integer({ min: 1, max: 3 }),
});

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 12, arbitrary: writing },
  { weight: 4, arbitrary: leasing },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("purge"), stream }) },
  { weight: 1, arbitrary: fc.constant({ do: "reopen" }) },
);

// Without the bias towards short lists, which contain hardly any history.
export const operations = fc.noBias(
  fc.array(operation, { minLength: 1, maxLength: 40, size: "max" }),
);

/** Directs most operations to existing or possible streams; the rest show refusals. */
export function aim(
  operation: Operation,
  live: readonly number[],
  purged: ReadonlySet<number>,
): Operation {
  if (!("stream" in operation) || operation.stream > streams.length - 2) return operation;
  const pick = (n: number) => live[n % live.length] ?? n;
  if (!("other" in operation)) return { ...operation, stream: pick(operation.stream) };
  const free = streams.find((n) => !live.includes(n) && !purged.has(n)) ?? operation.stream;
  if (live.length === 0) return { ...operation, do: "begin", stream: free };
  const isNew = operation.do === "begin" || operation.do === "fork";
  const stream = isNew ? free : pick(operation.stream);
  return { ...operation, stream, other: pick(operation.other) };
}

export function transactionOf(operation: Writing): Transaction {
  const { stream, other, owner, kind, key, body } = operation;
  const transaction: Transaction = {
    streams: [{ id: idOf(stream) }, { id: idOf(other) }, { kind, owner, key: `key ${stream}` }],
    decide: (loaded) => decide(operation, loaded),
  };
  return key === null ? transaction : keyed(transaction, key, body);
}

function decide(operation: Writing, { streams: [own, other, place] }: Loaded): Decision {
  const { owner, kind, expected } = operation;
  const create = { owner, kind, key: `key ${operation.stream}` };
  const id = idOf(operation.stream);
  switch (operation.do) {
    case "begin": {
      if (own || place) return refused("session_exists");
      return { appends: [newNotebook(id, { ...create, ...entryAfter(0, operation) })] };
    }
    case "fork": {
      if (own || place) return refused("session_exists");
      if (!other) return refused("session_not_found");
      const seq = 1 + Math.floor(operation.cut * other.seq);
      const base = { id: other.id, seq };
      return { appends: [newNotebook(id, { ...create, base, ...entryAfter(seq, operation) })] };
    }
    case "write": {
      if (!own) return refused("session_not_found");
      if (expected !== null && expected !== own.seq) return refused("version_conflict");
      return { appends: [moreLines(own, entryAfter(own.seq, operation))] };
    }
    case "write to two": {
      if (!own || !other || own.id === other.id) return refused("session_not_found");
      const appends = [own, other].map((each) => moreLines(each, entryAfter(each.seq, operation)));
      return { appends };
    }
  }
}

function refused(error: "session_exists" | "session_not_found" | "version_conflict"): Decision {
  return { refused: refuse(error, "as the operation meant it") };
}

function entryAfter(seq: number, { count, patches, names, listing }: Writing) {
  const lines = countTo(count).map((n) => `line ${seq + n}`);
  const rows = patches.map((patch) => rowAfter(seq, count, patch));
  const distinct = new Map(rows.map((row) => [JSON.stringify({ ...row, key: 0, data: 0 }), row]));
  return { lines, rows: [...distinct.values()], names, listing };
}

function rowAfter(before: number, count: number, { nth, kind, data, ...parts }: Patch): NewPatch {
  const seq = before + 1 + Math.floor(parts.seq * count);
  const place = 1 + Math.floor(parts.place * seq);
  // All patches of an item agree on its key.
  const key = nth === 0 ? ["k", "l"][place % 2] : null;
  return rowOf(place, seq, data, { nth, key, kind });
}
