import { SESSION_LISTING } from "../../src/contract/stream.ts";
import { writeUntilKilled } from "../../src/store/conformance/write-until-killed.ts";
import { openSealedSqlite } from "./open-sealed.ts";

const [, , folder = "", ...ids] = process.argv;
const store = await openSealedSqlite({ folder, isAlive: () => true, listing: SESSION_LISTING });
await writeUntilKilled(store, ids);
