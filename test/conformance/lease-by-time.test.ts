import { describe, expect, it } from "vitest";
import { lease } from "../../src/store/conformance/claims/lease.ts";
import { property } from "../../src/store/conformance/claims/property.ts";
import { collectClaims, type StoreSettings } from "../../src/store/conformance/suite.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { openSharedMemory } from "./open-shared-memory.ts";

const reference = openMemoryStore;
const stores = {
  memory: openSharedMemory,
  sqlite: openSqliteStore,
};

describe.each(Object.entries(stores))(
  "a lease of the %s store that is held by time",
  (name, open) => {
    const store = { name, open, reference, durable: false, holders: "time" } as const;
    for (const { title, run } of collectClaims(store, lease)) it(title, run);
  },
);

describe.each(Object.entries(stores))(
  "a lease of the %s store that is held by the store's own clock",
  (name, openStore) => {
    const open = (place: StoreSettings) => {
      expect(place.now).toBeUndefined();
      return openStore(place);
    };
    const store = { name, open, reference, durable: false, clock: "store" } as const;
    for (const { title, run } of collectClaims(store, lease)) it.concurrent(title, run);
  },
);

it.fails("control: a store whose leases never expire fails the claim about time", async () => {
  const open = ({ leaseMs, ...place }: StoreSettings) => openSharedMemory(place);
  const store = { name: "endless", open, reference, durable: false, clock: "store" } as const;
  const claims = collectClaims(store, lease);
  await claims.find(({ title }) => title === "can be taken from a dead holder at once")?.run();
});

it("a store with a clock of its own is compared with the reference", async () => {
  const store = { name: "own", open: openSharedMemory, reference, durable: false } as const;
  for (const { run } of collectClaims({ ...store, clock: "store" }, property)) await run();
});
