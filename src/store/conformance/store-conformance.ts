import { describe, expect, it } from "vitest";
import { atomicAppend } from "./atomic-append.ts";
import { bigPayloads } from "./big-payloads.ts";
import { blobs } from "./blobs.ts";
import { bytes } from "./bytes.ts";
import { concurrentDecisions } from "./concurrent-decisions.ts";
import { content } from "./content.ts";
import { expectedVersion } from "./expected-version.ts";
import { feed } from "./feed.ts";
import { filters } from "./filters.ts";
import { fork } from "./fork.ts";
import { idempotency } from "./idempotency.ts";
import { indexedTexts } from "./indexed-texts.ts";
import { lease } from "./lease.ts";
import { listing } from "./listing.ts";
import { multiStream } from "./multi-stream.ts";
import { names } from "./names.ts";
import { paging } from "./paging.ts";
import { property } from "./property.ts";
import { purge } from "./purge.ts";
import { read } from "./read.ts";
import { refusal } from "./refusal.ts";
import { reopen } from "./reopen.ts";
import { rows } from "./rows.ts";
import { collectClaims, type Guarantee, type StoreUnderTest } from "./suite.ts";
import { tally } from "./tally.ts";
import { twoHandles } from "./two-handles.ts";
import { undeclared } from "./undeclared.ts";
import { unicode } from "./unicode.ts";

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
  fork,
  rows,
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
  purge,
  blobs,
  property,
} as const satisfies Readonly<Record<string, Guarantee>>;

/** Holds a store to every guarantee of the port. */
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

    it("skips only tests that there are", () => {
      expect([...reasons.keys()].filter((skipped) => !titles.has(skipped))).toEqual([]);
    });
  });
}
