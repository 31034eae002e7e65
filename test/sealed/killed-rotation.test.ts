import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { composeEncryption } from "../../src/compose-encryption.ts";
import { openStore } from "../../src/compose-store.ts";
import { begin, idOf, keep, write } from "../../src/store/conformance/notebook.ts";
import { readStream } from "../../src/store/conformance/read-everything.ts";
import type { StreamStore } from "../../src/store/stream-store.ts";
import { sampleSize } from "../crash/sample-size.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";
import { newKeyFile, withKey } from "./with-key.ts";

const OWNERS = ["ann", "bob", "cid", "dan", "eve", "fay"];
const NEW_OWNER = idOf(90);
const open = (home: string) => openStore({ home, onNotice: () => {} });

it("all data stays readable at whichever write a rotation is killed, while another process serves", async () => {
  const [original, key] = [temporaryFolder(), newKeyFile()];
  const before = await withKey(() => fill(original), key);
  const writes = await countWrites(original, key);
  expect(writes).toBeGreaterThan(20);
  const kills = sampleSize({ full: 20, sample: 3 });
  for (let n = 1; n <= kills; n += 1) {
    const place = copyOf(original, key);
    await withKey(
      () => killAt(place.home, Math.floor((n * writes) / (kills + 1)), before),
      place.key,
    );
    await expectOnlyNewKey(place.home, place.key, readFileSync(key, "utf8"), before);
  }
});

type Shown = Awaited<ReturnType<typeof readAll>>;

async function fill(home: string): Promise<Shown> {
  const store = await open(home);
  for (const [n, owner] of OWNERS.entries()) {
    await keep(store, begin(idOf(n), { owner, lines: [`of ${owner}`] }));
  }
  const shown = await readAll(store);
  await store.close();
  return shown;
}

async function killAt(home: string, nth: number, before: Shown): Promise<void> {
  const running = await serve(home);
  expect(rotate(home, ["-e", `inject=pwrite64:signal=SIGKILL:when=${nth}`]).signal).toBe("SIGKILL");
  // A process that was running serves all of it, and new people too.
  expect(await readAll(running)).toEqual(before);
  await keep(running, begin(NEW_OWNER, { owner: `new at ${nth}`, lines: ["of a new owner"] }));
  const other = await open(home);
  expect(await readAll(other)).toEqual(before);
  await composeEncryption(home, () => {}).rotate();
  for (const store of [running, other]) {
    await keep(store, write(idOf(80), { lines: ["meanwhile"] }));
    expect(await readAll(store)).toEqual(before);
    await store.close();
  }
}

async function serve(home: string): Promise<StreamStore> {
  const running = await open(home);
  await keep(running, begin(idOf(80), { owner: "zoe" }));
  return running;
}

async function expectOnlyNewKey(
  home: string,
  key: string,
  old: string,
  before: Shown,
): Promise<void> {
  expect(readFileSync(key, "utf8")).not.toContain(old.trim());
  await withKey(async () => {
    const store = await open(home);
    expect(await readAll(store)).toEqual(before);
    expect(await readStream(store, NEW_OWNER)).toMatchObject({
      events: [{ data: { text: "of a new owner" } }],
    });
    await store.close();
  }, key);
  const kept = newKeyFile();
  writeFileSync(kept, old);
  const refused = withKey(() => open(home), kept);
  await expect(refused).rejects.toMatchObject({ code: "encryption_key_wrong" });
}

function readAll(store: StreamStore) {
  return Promise.all(OWNERS.map((_, n) => readStream(store, idOf(n))));
}

async function countWrites(original: string, key: string): Promise<number> {
  const { home, key: file } = copyOf(original, key);
  const log = join(temporaryFolder(), "trace");
  await withKey(async () => {
    const running = await serve(home);
    expect(rotate(home, ["-o", log]).status).toBe(0);
    await running.close();
  }, file);
  return readFileSync(log, "utf8").match(/pwrite64\(/g)?.length ?? 0;
}

function copyOf(original: string, key: string): { home: string; key: string } {
  const [home, file] = [temporaryFolder(), newKeyFile()];
  cpSync(original, home, { recursive: true });
  writeFileSync(file, readFileSync(key));
  return { home, key: file };
}

function rotate(home: string, options: readonly string[]) {
  const program = fileURLToPath(new URL("./rotate-program.ts", import.meta.url));
  const args = ["-f", "-e", "trace=pwrite64", ...options, process.execPath, program, home];
  return spawnSync("strace", args, { encoding: "utf8" });
}
