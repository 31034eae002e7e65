/** Encrypts the data of a folder or database, and kills itself once it has encrypted so many events. */
import { findKeySource } from "../../src/compose-keys.ts";
import { SESSION_LISTING } from "../../src/contract/stream.ts";
import type { ContentSealer, PrepareSealer } from "../../src/store/content-sealer.ts";
import { sealDatabase } from "../../src/store/postgres/care/seal-database.ts";
import { prepareCopy } from "../../src/store/sealed/prepare-copy.ts";
import { sealFolder } from "../../src/store/sqlite/care/seal-folder.ts";

const [, , home = "", calls = ""] = process.argv;
const load = findKeySource(process.env);
const [master] = await load();
let left = Number(calls);

const prepare: PrepareSealer = async (store, writers) => {
  const options = { load, declared: SESSION_LISTING };
  const sealer = await prepareCopy(store, options, writers, Date.now());
  const body: ContentSealer["body"] = (...given) => {
    if (left === 0) process.kill(process.pid, "SIGKILL");
    left -= 1;
    return sealer.body(...given);
  };
  return { ...sealer, body };
};

const url = process.env.BELAY_DATABASE_URL;
const fingerprint = master?.fingerprint ?? "";
if (url === undefined) await sealFolder(home, fingerprint, prepare);
else await sealDatabase(url, fingerprint, prepare);
