import { SESSION_LISTING } from "../../src/contract/stream.ts";
import { SEALED_LIMITS } from "../../src/store/append-rules.ts";
import { writeUntilKilled } from "../../src/store/conformance/write-until-killed.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import { sealInner } from "../conformance/open-sealed.ts";
import { readAddress } from "./scene-databases.ts";

const [, , folder = "", ...ids] = process.argv;
const inner = await openPostgresStore({
  url: readAddress(folder),
  isAlive: () => true,
  limits: SEALED_LIMITS,
});
await writeUntilKilled(await sealInner(inner, { listing: SESSION_LISTING }), ids);
