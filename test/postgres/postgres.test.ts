import { afterAll } from "vitest";
import { SEALED_LIMITS } from "../../src/store/append-rules.ts";
import { describeStoreConformance } from "../../src/store/conformance/store-conformance.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { sealInner } from "../conformance/open-sealed.ts";
import { sealedSample } from "../conformance/sealed-sample.ts";
import { createPostgres } from "./postgres-server.ts";
import { SceneDatabases } from "./scene-databases.ts";

const server = await createPostgres();
await server.start();
afterAll(() => server.remove());
const databases = new SceneDatabases(server);

const WATCHERS = "feed > calls its watchers within 50 ms, as the middle of nine commits has it";
const pooled = { reason: "PgBouncer does not pass on notices.", tests: [WATCHERS] };

describeStoreConformance({
  name: "postgres",
  durable: { writer: new URL("./postgres-writer.ts", import.meta.url) },
  clock: "store",
  open: (place) => databases.open(place),
  reference: openMemoryStore,
  ...(process.env.BELAY_TEST_PGBOUNCER && { skip: [pooled] }),
});

describeStoreConformance({
  name: "postgres, encrypted",
  durable: { writer: new URL("./sealed-writer.ts", import.meta.url) },
  clock: "store",
  open: async (place) =>
    sealInner(await databases.open({ ...place, limits: SEALED_LIMITS }), place),
  reference: openMemoryStore,
  ...sealedSample(),
});
