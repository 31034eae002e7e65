import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { composeEncryption } from "../../src/compose-encryption.ts";
import { openStore } from "../../src/compose-store.ts";
import { acquireLock } from "../../src/files/lock.ts";
import { begin, idOf, keep } from "../../src/store/conformance/notebook.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";
import { newKeyFile, withKey } from "./with-key.ts";

const open = (home: string) => openStore({ home, onNotice: () => {} });
const rotate = (home: string) => composeEncryption(home, () => {}).rotate();

it("refuses a rotation while another process changes the key file, and changes nothing", async () => {
  const [home, key] = [await fill(), newKeyFile()];
  const before = readFileSync(key, "utf8");
  const lock = acquireLock(`${key}.lock`);
  await withKey(() => expect(rotate(home)).rejects.toMatchObject({ code: "store_busy" }), key);
  expect(readFileSync(key, "utf8")).toBe(before);
  if ("release" in lock) lock.release();
  await withKey(() => Promise.all([rotate(home), rotate(home)]), key);
  expect(readFileSync(key, "utf8")).toMatch(/^[0-9a-f]{64}\n$/);
  expect(existsSync(join(dirname(key), "key.lock"))).toBe(false);
});

async function fill(): Promise<string> {
  const home = temporaryFolder();
  await withKey(async () => {
    const store = await open(home);
    await keep(store, begin(idOf(1), { lines: ["kept"] }));
    await store.close();
  });
  return home;
}
