import { describe, expect, it } from "vitest";
import { atomicAppend } from "./claims/atomic-append.ts";
import { bigPayloads } from "./claims/big-payloads.ts";
import { blobs } from "./claims/blobs.ts";
import { bytes } from "./claims/bytes.ts";
import { concurrentDecisions } from "./claims/concurrent-decisions.ts";
import { content } from "./claims/content.ts";
import { expectedVersion } from "./claims/expected-version.ts";
import { feed } from "./claims/feed.ts";
import { filters } from "./claims/filters.ts";
import { fork } from "./claims/fork.ts";
import { idempotency } from "./claims/idempotency.ts";
import { indexedTexts } from "./claims/indexed-texts.ts";
import { lease } from "./claims/lease.ts";
import { listing } from "./claims/listing.ts";
import { load } from "./claims/load.ts";
import { multiStream } from "./claims/multi-stream.ts";
import { names } from "./claims/names.ts";
import { openedRows } from "./claims/opened-rows.ts";
import { paging } from "./claims/paging.ts";
import { property } from "./claims/property.ts";
import { purge } from "./claims/purge.ts";
import { read } from "./claims/read.ts";
import { refusal } from "./claims/refusal.ts";
import { reopen } from "./claims/reopen.ts";
import { rows } from "./claims/rows.ts";
import { tally } from "./claims/tally.ts";
import { twoHandles } from "./claims/two-handles.ts";
import { undeclared } from "./claims/undeclared.ts";
import { unicode } from "./claims/unicode.ts";
import { watch } from "./claims/watch.ts";
import { collectClaims, type Guarantee, type StoreUnderTest } from "./suite.ts";

/** By the names that the port's doc comments use. */
export const guarantees = {
  "atomic-append": atomicAppend,
  "concurrent-decisions": concurrentDecisions,
  idempotency,
  refusal,
  "expected-version": expectedVersion,
  lease,
  "two-handles": twoHandles,
  reopen,
  paging,
  feed,
  watch,
  fork,
  rows,
  "opened-rows": openedRows,
  read,
  bytes,
  content,
  names,
  filters,
  listing,
  tally,
  "big-payloads": bigPayloads,
  unicode,
  "indexed-texts": indexedTexts,
  "multi-stream": multiStream,
  undeclared,
  load,
  purge,
  blobs,
  property,
} as const satisfies Readonly<Record<string, Guarantee>>;

/** Checks a store against every guarantee of the port. */
export function describeStoreConformance(store: StoreUnderTest): void {
  const reasons = new Map(
    store.skip?.flatMap(({ reason, tests }) => tests.map((test) => [test, reason])),
  );
  const titles = new Set<string>();

  describe(`${store.name} store`, () => {
    for (const [name, guarantee] of Object.entries(guarantees)) {
      titles.add(name);
      describe(name, () => {
        for (const { title, run } of collectClaims(store, guarantee)) {
          titles.add(`${name} > ${title}`);
          const reason = reasons.get(`${name} > ${title}`) ?? reasons.get(name);
          if (reason === undefined) it(title, run);
          else it.skip(`${title} (${reason})`, run);
        }
      });
    }

    it("skips only tests that exist", () => {
      expect([...reasons.keys()].filter((skipped) => !titles.has(skipped))).toEqual([]);
    });
  });
}
