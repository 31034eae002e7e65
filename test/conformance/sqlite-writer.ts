import { writeUntilKilled } from "../../src/store/conformance/write-until-killed.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";

const [, , folder = "", ...ids] = process.argv;
await writeUntilKilled(await openSqliteStore({ folder, isAlive: () => true }), ids);
