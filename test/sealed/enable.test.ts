import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { composeEncryption } from "../../src/compose-encryption.ts";
import { openStore } from "../../src/compose-store.ts";
import { SESSION_LISTING } from "../../src/contract/stream.ts";
import { createMaintenance } from "../../src/service/maintenance.ts";
import { begin, idOf, keep, keyed, rowOf, write } from "../../src/store/conformance/notebook.ts";
import { readEverything } from "../../src/store/conformance/read-everything.ts";
import type { ContentSealer } from "../../src/store/content-sealer.ts";
import { KeyRing } from "../../src/store/sealed/key-ring.ts";
import { prepareCopy } from "../../src/store/sealed/prepare-copy.ts";
import { sealFolder } from "../../src/store/sqlite/care/seal-folder.ts";
import type { StreamStore } from "../../src/store/stream-store.ts";
import { MASTER } from "../conformance/open-sealed.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";
import { play } from "../parity/scenario.ts";
import { openServiceDoor } from "../parity/service-door.ts";
import { WHOLE_LIFE } from "../parity/whole-life.ts";
import { withKey } from "./with-key.ts";

const NOW = 1_700_000_100_000;
const CANARY = "canary of the plain folder";
const declared = SESSION_LISTING;
const open = (home: string) => openStore({ home, onNotice: () => {} });
const enable = (home: string) => composeEncryption(home, () => {}).enable({ plain_mirrors: false });

describe("encrypting a folder that has data", () => {
  it("keeps everything but the plain text", async () => {
    const home = temporaryFolder();
    const store = await open(home);
    await fill(store);
    const before = withoutHashes(await readEverything(store));
    const feed = await store.readFeed({ after: "", limit: 1000 });
    await store.close();
    mkdirSync(join(home, "agent-logs"));
    writeFileSync(join(home, "agent-logs", "one.log"), CANARY);
    expect(isFound(home)).toBe(true);

    await withKey(async () => {
      expect(await enable(home)).toEqual({ encrypted: true, removed: ["agent-logs"], left: [] });
      expect(isFound(home)).toBe(false);
      const sealed = await open(home);
      expect((await sealed.readFeed({ after: feed.cursor, limit: 9 })).events).toEqual([]);
      expect(withoutHashes(await readEverything(sealed))).toEqual(before);
      await expectFile(sealed);
      expect(await sealed.transact(keyed(write(idOf(2)), "once"))).toMatchObject({
        kind: "replayed",
      });
      const found = [];
      for await (const finding of sealed.inspect?.() ?? []) found.push(finding);
      expect(found).toEqual([]);
      await keep(sealed, write(idOf(1)));
      for (const n of [50, 3, 2, 1]) await sealed.purge(idOf(n), NOW);
      await sealed.close();
      await expect(enable(home)).rejects.toMatchObject({ code: "storage_unsupported" });
    });
  });

  it("folds every session of a whole life as before", async () => {
    const folder = temporaryFolder();
    const home = join(folder, "home");
    const door = await openServiceDoor(home);
    await play(WHOLE_LIFE, door, door, folder);
    await door.close();
    await withKey(async () => {
      await enable(home);
      const store = await open(home);
      expect(await createMaintenance(store).verify()).toMatchObject({ ok: true, findings: [] });
      await store.close();
    });
  });

  it("leaves the original as it was, wherever it is cut off", async () => {
    const home = temporaryFolder();
    const store = await open(home);
    await fill(store);
    const before = await readEverything(store);
    await store.close();
    for (const point of [0, 1, 20, 40]) {
      await expect(sealFolder(home, dyingAfter(point))).rejects.toThrow("killed");
      const again = await open(home);
      expect(await readEverything(again)).toEqual(before);
      await again.close();
    }
    await sealFolder(home, dyingAfter(Number.POSITIVE_INFINITY));
    expect(existsSync(join(home, "belay.db-sealed"))).toBe(false);
    expect(isFound(home)).toBe(false);
  });

  it("is refused while another process uses the data", async () => {
    const home = temporaryFolder();
    const store = await open(home);
    await keep(store, begin(idOf(1)));
    await withKey(() => expect(enable(home)).rejects.toMatchObject({ code: "store_busy" }));
    await keep(store, write(idOf(1)));
    await store.close();
  });
});

/** Forks of forks beyond the depth at which history is copied, one that was purged, rows, names, keys and a file. */
async function fill(store: StreamStore): Promise<void> {
  const rows = [rowOf(1, 1, { text: CANARY }, { key: "a key" })];
  await keep(store, begin(idOf(1), { lines: [CANARY], rows, names: ["red"], key: "first" }));
  await store.blobs?.put(idOf(1), [Buffer.from(CANARY)]);
  await keep(store, write(idOf(1), { lines: ["2"] }));
  await keep(store, keyed(begin(idOf(2), { base: { id: idOf(1), seq: 2 }, lines: ["b"] }), "once"));
  await keep(store, begin(idOf(3), { base: { id: idOf(2), seq: 3 }, lines: ["c".repeat(9000)] }));
  for (let n = 4; n <= 50; n += 1) {
    const base = { id: idOf(n - 1), seq: n };
    await keep(store, begin(idOf(n), { base, lines: [`of ${n}`] }));
  }
  await store.purge(idOf(5), NOW);
}

async function expectFile({ blobs }: StreamStore): Promise<void> {
  const put = await blobs?.put(idOf(1), [Buffer.from(CANARY)]);
  expect(put?.added).toBe(false);
  // A fork shares it.
  for (const id of [idOf(1), idOf(2)]) {
    const chunks: Uint8Array[] = [];
    const found = await blobs?.get(id, put?.digest ?? "");
    for await (const chunk of found?.bytes() ?? []) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe(CANARY);
  }
}

function dyingAfter(calls: number) {
  return async (store: StreamStore, writers: Parameters<typeof prepareCopy>[2]) => {
    const ring = await KeyRing.create(store, { load: async () => [MASTER], declared });
    const sealer = await prepareCopy(store, ring, writers, declared, NOW);
    let left = calls;
    const body: ContentSealer["body"] = (...given) => {
      left -= 1;
      if (left < 0) throw new Error("killed");
      return sealer.body(...given);
    };
    return { ...sealer, body };
  };
}

function isFound(folder: string): boolean {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).some((name) => {
    const path = join(folder, name);
    return !readdirSafe(path) && readFileSync(path).includes(CANARY);
  });
}

function readdirSafe(path: string): boolean {
  try {
    readdirSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Hashes cover what is stored, so they differ. */
function withoutHashes(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, item) => (key === "hash" ? undefined : item)));
}
