import { afterAll } from "vitest";
import { SEALED_LIMITS } from "../../src/store/append-rules.ts";
import { describeStoreConformance } from "../../src/store/conformance/store-conformance.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import { sealInner } from "../conformance/open-sealed.ts";
import { sealedSample } from "../conformance/sealed-sample.ts";
import { alterPostgresBlobs } from "./alter-postgres-blobs.ts";
import { partitionTables } from "./partition-tables.ts";
import { createPostgres } from "./postgres-server.ts";
import { query, SceneDatabases } from "./scene-databases.ts";

const server = await createPostgres();
await server.start();
afterAll(() => server.remove());
const databases = new SceneDatabases(server);

const WATCHERS = "feed > calls watchers within 50 ms (the median of nine commits)";
const pooled = { reason: "PgBouncer does not pass on notices.", tests: [WATCHERS] };

describeStoreConformance({
  name: "postgres",
  durable: { writer: new URL("./postgres-writer.ts", import.meta.url) },
  clock: "store",
  open: (place) => databases.open(place),
  reference: openMemoryStore,
  alterBlobs: (folder, how) => alterPostgresBlobs(databases.urlOf(folder), how),
  ...(process.env.BELAY_TEST_PGBOUNCER && { skip: [pooled] }),
});

await query(server.urlOf("postgres"), "CREATE DATABASE partitioned");
await (await openPostgresStore({ url: server.urlOf("partitioned"), isAlive: () => true })).close();
await partitionTables(server.urlOf("partitioned"), 4);
const partitioned = new SceneDatabases(server, "partitioned");

describeStoreConformance({
  name: "postgres, with hash partitions by stream",
  durable: { writer: new URL("./postgres-writer.ts", import.meta.url) },
  clock: "store",
  open: (place) => partitioned.open(place),
  reference: openMemoryStore,
  ...sealedSample("feed", "fork"),
});

describeStoreConformance({
  name: "postgres, encrypted",
  durable: { writer: new URL("./sealed-writer.ts", import.meta.url) },
  clock: "store",
  open: async (place) =>
    sealInner(await databases.open({ ...place, limits: SEALED_LIMITS }), place),
  reference: openMemoryStore,
  alterBlobs: (folder, how) => alterPostgresBlobs(databases.urlOf(folder), how),
  ...sealedSample(),
});
