import { describe, it } from "vitest";
import { lease } from "../../src/store/conformance/lease.ts";
import { collectClaims } from "../../src/store/conformance/suite.ts";
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
