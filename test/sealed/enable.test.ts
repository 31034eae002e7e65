import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { composeEncryption } from "../../src/compose-encryption.ts";
import { openStore } from "../../src/compose-store.ts";
import { createMaintenance } from "../../src/service/maintenance.ts";
import { begin, idOf, keep, write } from "../../src/store/conformance/notebook.ts";
import { readEverything, readStream } from "../../src/store/conformance/read-everything.ts";
import { partialCopy } from "../../src/store/sqlite/care/seal-folder.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";
import { play } from "../parity/scenario.ts";
import { openServiceDoor } from "../parity/service-door.ts";
import { WHOLE_LIFE } from "../parity/whole-life.ts";
import { killEnable } from "./kill-enable.ts";
import { CANARY, expectUsable, fillPlain, withoutHashes } from "./plain-data.ts";
import { newKeyFile, withKey } from "./with-key.ts";

const open = (home: string) => openStore({ home, onNotice: () => {} });
/** There are 52: a second life is enough if it continues the first, and no number of lives otherwise. */
const EVENTS_PER_LIFE = 30;
const enable = (home: string) => composeEncryption(home, () => {}).enable({ plain_mirrors: false });

describe("encrypting a folder that has data", () => {
  it("keeps everything but the plain text", async () => {
    const home = temporaryFolder();
    const store = await open(home);
    await fillPlain(store);
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
      const found = [];
      for await (const finding of sealed.inspect?.() ?? []) found.push(finding);
      expect(found).toEqual([]);
      await expectUsable(sealed);
      await sealed.close();
      await expect(enable(home)).rejects.toMatchObject({ code: "storage_unsupported" });
    });
  });

  it("keeps the state of every session of a whole life", async () => {
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

  it("continues after a kill, and does not change the original until the end", async () => {
    const home = temporaryFolder();
    const store = await open(home);
    await fillPlain(store);
    const before = await readEverything(store);
    await store.close();
    await withKey(async () => {
      let kills = 0;
      while (killEnable(home, EVENTS_PER_LIFE)) {
        kills += 1;
        expect(kills).toBeLessThan(4);
        await withoutKey(async () => {
          const plain = await open(home);
          expect(await readStream(plain, idOf(1))).toEqual(before.streams[0]);
          await plain.close();
        });
      }
      expect(kills).toBe(1);
      // It was killed before the folder was marked, and before what is left was removed.
      expect(await enable(home)).toMatchObject({ encrypted: true });
      expect(existsSync(partialCopy(home))).toBe(false);
      await expectSame(home, before);
    });
  });

  it("starts again if data was written since, or with another key", async () => {
    const home = temporaryFolder();
    const store = await open(home);
    await fillPlain(store);
    await store.close();
    expect(await withKey(async () => killEnable(home, 9))).toBe(true);
    expect(await withKey(async () => killEnable(home, 9), newKeyFile("8"))).toBe(true);
    const again = await open(home);
    await keep(again, write(idOf(1), { lines: ["since"] }));
    const before = await readEverything(again);
    await again.close();
    await withKey(async () => {
      await enable(home);
      await expectSame(home, before);
    });
  });

  it("is complete, whichever file it was about to replace when it was killed", async () => {
    const home = temporaryFolder();
    const store = await open(home);
    await fillPlain(store);
    const before = await readEverything(store);
    await store.close();
    await withKey(async () => {
      // Before the anchor is in place, and then between it and the database.
      for (const when of [2, 2]) {
        const inject = `inject=rename:signal=SIGKILL:when=${when}`;
        const tracer = ["strace", "-f", "-o", "/dev/null", "-e", "trace=rename", "-e", inject];
        expect(killEnable(home, -1, tracer)).toBe(true);
      }
      await enable(home);
      await expectSame(home, before);
    });
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

async function expectSame(home: string, before: unknown): Promise<void> {
  expect(isFound(home)).toBe(false);
  const sealed = await open(home);
  expect(withoutHashes(await readEverything(sealed))).toEqual(withoutHashes(before));
  const findings = [];
  for await (const finding of sealed.inspect?.() ?? []) findings.push(finding);
  expect(findings).toEqual([]);
  await sealed.close();
}

async function withoutKey(work: () => Promise<void>): Promise<void> {
  const file = process.env.BELAY_KEY_FILE;
  delete process.env.BELAY_KEY_FILE;
  await work();
  process.env.BELAY_KEY_FILE = file;
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
