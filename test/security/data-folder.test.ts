import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openBelay } from "../../src/index.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";

let root: string;
let home: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "belay-folder-"));
  home = join(root, "home");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function open(): Promise<string[]> {
  const notices: string[] = [];
  const onNotice = (text: string): void => void notices.push(text);
  const store = await openSqliteStore({ folder: home, isAlive: () => true, onNotice });
  await store.close();
  return notices;
}
const modeOf = (path: string): number => statSync(path).mode & 0o7777;

describe("a data folder that others can access", () => {
  it.each([0o755, 0o750, 0o777])("is made private, with a message: %o", async (mode) => {
    expect(await open()).toEqual([]);
    chmodSync(home, mode);
    expect(await open()).toEqual([expect.stringContaining(mode.toString(8))]);
    expect(modeOf(home)).toBe(0o700);
    expect(await open()).toEqual([]);
  });

  it("is made private if it has only settings", async () => {
    mkdirSync(home, { mode: 0o755 });
    writeFileSync(join(home, "agents.json"), "{}");
    await open();
    expect(modeOf(home)).toBe(0o700);
  });

  it.each([0o755, 0o1777])("is refused if it also contains other files: %o", async (mode) => {
    mkdirSync(home);
    writeFileSync(join(home, "thesis.tex"), "");
    chmodSync(home, mode);
    await expect(open()).rejects.toMatchObject({
      code: "storage_failed",
      message: expect.stringContaining(`chmod 700 ${home}`),
    });
    expect(modeOf(home)).toBe(mode);
  });
});

describe("a backup", () => {
  it("has the settings and secrets of the data folder, for its owner only", async () => {
    const belay = await openBelay({ home });
    try {
      const files = {
        "agents.json": "{}",
        "member-folders": "/srv/belay\n",
        "recovery.json": "[]",
        "webhook-secrets.json": "{ }",
      };
      for (const [name, text] of Object.entries(files)) {
        writeFileSync(join(home, name), text, { mode: 0o644 });
      }
      writeFileSync(join(home, "server-token"), "secret");
      const copy = join(root, "copy");
      expect(await belay.maintenance.backup(copy)).toEqual({
        included: ["agents.json", "member-folders", "recovery.json", "webhook-secrets.json"],
        left_out: ["server-token"],
      });
      for (const [name, text] of Object.entries(files)) {
        expect(readFileSync(join(copy, name), "utf8")).toBe(text);
        expect(modeOf(join(copy, name))).toBe(0o600);
      }
      expect(() => statSync(join(copy, "server-token"))).toThrow();
    } finally {
      await belay.close();
    }
  });
});
