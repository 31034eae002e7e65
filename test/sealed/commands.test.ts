import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { newPlace } from "../cli/run-belay.ts";
import { runInProcess } from "../cli/run-in-process.ts";
import { runGit } from "../service/work-tree-lab.ts";
import { newKeyFile } from "./with-key.ts";

const place = newPlace();
const keyFile = newKeyFile();
const BY_FILE = { BELAY_KEY_FILE: keyFile };
afterAll(place.remove);

it("refuses a missing or a wrong key with exit code 7, and creates nothing", async () => {
  const missing = { BELAY_KEY_FILE: join(place.root, "none") };
  const first = await belay(missing, "create", "--agent", "a", "--purpose", "p");
  expect([first.code, existsSync(place.home)]).toEqual([7, false]);
  expect((await belay({ BELAY_KEY_COMMAND: "exit 3" }, "list")).code).toBe(7);
  await belay(BY_FILE, "create", "--agent", "a", "--purpose", "p", "--id", "my-session");
  const before = readdirSync(place.home).sort();
  for (const env of [{}, missing, { BELAY_KEY_FILE: newKeyFile("8") }]) {
    const refused = await belay(env, "list");
    const error = expect.stringMatching(/^encryption_key_/);
    expect([refused.code, refused.json]).toMatchObject([7, { error }]);
  }
  expect(readdirSync(place.home).sort()).toEqual(before);
  const shown = await belay({ BELAY_KEY_COMMAND: `cat ${keyFile}` }, "list");
  expect(shown.json).toMatchObject({ sessions: [{ session_id: "my-session" }] });
});

it("verifies the chain without the key, and the sessions with it", async () => {
  const without = await belay({}, "verify");
  expect([without.code, without.json]).toMatchObject([0, { ok: true, without_key: true }]);
  const sound = await belay(BY_FILE, "verify");
  expect([sound.code, sound.json]).toEqual([0, { ok: true, findings: [], settled: 0 }]);
});

it("rotates the master key, and shows which key encrypts the data", async () => {
  const old = readFileSync(keyFile, "utf8");
  expect((await belay(BY_FILE, "encrypt", "rotate")).json).toMatchObject({ wrapped: 2 });
  expect(readFileSync(keyFile, "utf8")).toMatch(/^[0-9a-f]{64}\n$/);
  const status = await belay(BY_FILE, "encrypt", "status");
  expect(status.json).toMatchObject({ encrypted: true, key_from: "BELAY_KEY_FILE", owners: 1 });
  expect((await belay(BY_FILE, "list")).json).toMatchObject({ sessions: [{}] });
  const kept = join(place.root, "old-key");
  writeFileSync(kept, old, { mode: 0o600 });
  expect((await belay({ BELAY_KEY_FILE: kept }, "list")).code).toBe(7);
});

it("names the missing key, instead of rotating to a new one", async () => {
  const refused = await belay({}, "encrypt", "rotate");
  const message = expect.stringMatching(
    /is encrypted\. Set BELAY_KEY_FILE to the file with its key/,
  );
  const error = "encryption_key_missing";
  expect([refused.code, refused.json]).toMatchObject([7, { error, message }]);
});

it("records no files of work trees, says so, and shows the ones that were recorded before", async () => {
  runGit(place.root, "init", "-q");
  for (const env of [BY_FILE, {}]) {
    const trusted = await place.with(env, "checkpoint", "trust");
    const stderr = expect.stringContaining("not recorded while the data is encrypted");
    expect([trusted.code, trusted.stderr]).toMatchObject([1, stderr]);
  }
  expect((await belay(BY_FILE, "encrypt", "status")).json).toMatchObject({ plain: [] });
  mkdirSync(join(place.home, "work-trees"));
  const status = await belay(BY_FILE, "encrypt", "status");
  const plain = [{ what: "recorded files", folder: join(place.home, "work-trees") }];
  expect(status.json).toMatchObject({ plain });
});

it("writes no mirrors of encrypted data, unless plain mirrors are requested", async () => {
  const refused = await place.with(BY_FILE, "init", "--mirror", "copilot");
  expect([refused.code, refused.stderr]).toMatchObject([6, expect.stringContaining("--plain")]);
  const asked = await place.with(BY_FILE, "init", "--mirror", "copilot", "--plain-mirrors");
  expect(asked.code).toBe(0);
  const shown = await place.with(BY_FILE, "encrypt", "status");
  expect(shown.stdout).toContain(`not encrypted: mirrors in ${place.root}\n`);
});

it("names the folder with mirrors that a plain data folder has", async () => {
  const other = newPlace();
  try {
    await other.belay("init", "--mirror", "copilot");
    const refused = await other.with(BY_FILE, "encrypt", "enable");
    const stderr = expect.stringContaining(`The workspace ${other.root} has mirrors`);
    expect([refused.code, refused.stderr]).toMatchObject([6, stderr]);
  } finally {
    other.remove();
  }
});

it("does not encrypt files twice, and says so", async () => {
  const other = newPlace();
  const env = { ...BY_FILE, BELAY_STORE: "files" };
  try {
    await other.with(env, "create", "--agent", "a", "--id", "in-files");
    const refused = await other.with(env, "encrypt", "enable");
    const stderr = expect.stringContaining("is already encrypted. Change the key with:");
    expect([refused.code, refused.stderr]).toMatchObject([5, stderr]);
  } finally {
    other.remove();
  }
});

it("still opens with the old key alone, if a new one was added and removed without a rotation", async () => {
  const old = readFileSync(BY_FILE.BELAY_KEY_FILE, "utf8");
  writeFileSync(BY_FILE.BELAY_KEY_FILE, `${"9".repeat(64)}\n${old}`);
  const { json } = await belay(BY_FILE, "encrypt", "status");
  const both = await place.with(BY_FILE, "create", "--agent", "a", "--id", "with-both");
  writeFileSync(BY_FILE.BELAY_KEY_FILE, old);
  expect(both.code).toBe(0);
  expect((await place.with(BY_FILE, "get", "with-both")).code).toBe(0);
  expect((await belay(BY_FILE, "encrypt", "status")).json).toEqual(json);
});

it("says what to do about a damaged encryption.json, which a command with the key writes again", async () => {
  const file = join(place.home, "encryption.json");
  writeFileSync(file, "{");
  for (const env of [BY_FILE, {}]) {
    for (const args of [["list"], ["encrypt", "status"]]) {
      const { code, stderr } = await place.with(env, ...args);
      const expected = `belay: ${file} is damaged. Restore it from a backup, or remove it.\n`;
      expect([args, code, stderr]).toEqual([args, 5, expected]);
    }
  }
  rmSync(file);
  expect((await place.with(BY_FILE, "list")).code).toBe(0);
  expect(readFileSync(file, "utf8")).toContain("seal_for");
});

it("says that backups from before a rotation need the old key", async () => {
  const rotated = await place.with(BY_FILE, "encrypt", "rotate");
  expect(rotated.stdout).toContain("Backups from before still need the old key");
});

/** Runs a command in this process, with these variables in its environment. */
async function belay(env: Record<string, string>, ...args: string[]) {
  Object.assign(process.env, env);
  try {
    const { code, stdout } = await runInProcess(place.home, args, true);
    return { code, json: stdout === "" ? null : JSON.parse(stdout) };
  } finally {
    for (const name of Object.keys(env)) delete process.env[name];
  }
}
