import { writeUntilKilled } from "../../src/store/conformance/write-until-killed.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import { readAddress } from "./scene-databases.ts";

const [, , folder = "", ...ids] = process.argv;
const store = await openPostgresStore({ url: readAddress(folder), isAlive: () => true });
await writeUntilKilled(store, ids);
