import { afterAll } from "vitest";
import { describeStoreConformance } from "../../src/store/conformance/store-conformance.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { createPostgres } from "./postgres-server.ts";
import { SceneDatabases } from "./scene-databases.ts";

const server = await createPostgres();
await server.start();
afterAll(() => server.remove());
const databases = new SceneDatabases(server);

describeStoreConformance({
  name: "postgres",
  durable: { writer: new URL("./postgres-writer.ts", import.meta.url) },
  clock: "store",
  open: (place) => databases.open(place),
  reference: openMemoryStore,
});
