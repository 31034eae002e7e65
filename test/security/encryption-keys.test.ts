import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { composeEncryption } from "../../src/compose-encryption.ts";
import { findKeySource } from "../../src/compose-keys.ts";
import { openStore } from "../../src/compose-store.ts";
import { cleanEnvironment } from "../../src/drive/agents/clean-environment.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";
import { newKeyFile, withKey } from "../sealed/with-key.ts";

const KEY = "ab".repeat(32);
const byCommand = (command: string, ms?: number) =>
  findKeySource({ BELAY_KEY_COMMAND: command }, ms)();
const byFile = (file: string) => findKeySource({ BELAY_KEY_FILE: file })();

describe("a key file", () => {
  it("is refused if other users can read or change it", async () => {
    const file = newKeyFile();
    for (const mode of [0o644, 0o604, 0o602, 0o620, 0o666]) {
      chmodSync(file, mode);
      const message = expect.stringContaining(`chmod 600 ${file}`);
      await expect(byFile(file)).rejects.toMatchObject({ code: "encryption_key_wrong", message });
    }
    for (const mode of [0o400, 0o600, 0o440]) {
      chmodSync(file, mode);
      expect(await byFile(file)).toHaveLength(1);
    }
  });

  it("is refused if it is not a regular file, or too large", async () => {
    const pipe = join(temporaryFolder(), "pipe");
    execFileSync("mkfifo", ["-m", "600", pipe]);
    const large = newKeyFile();
    truncateSync(large, 2 ** 31);
    for (const file of [pipe, large, temporaryFolder(), "/dev/zero"]) {
      const code = expect.stringMatching(/^encryption_key_/);
      await expect(byFile(file)).rejects.toMatchObject({ code });
    }
  });

  it("that is a link is changed at its target, so that no old key remains", async () => {
    const [file, home] = [newKeyFile(), temporaryFolder()];
    const link = join(temporaryFolder(), "key");
    symlinkSync(file, link);
    const old = readFileSync(file, "utf8");
    await withKey(async () => {
      await (await openStore({ home, onNotice: () => {} })).close();
      await composeEncryption(home, () => {}).rotate();
      await (await openStore({ home, onNotice: () => {} })).close();
    }, link);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(file, "utf8")).not.toContain(old.trim());
    chmodSync(file, 0o644);
    await expect(byFile(link)).rejects.toMatchObject({ code: "encryption_key_wrong" });
  });
});

describe("a command for the key", () => {
  it.each([
    ["fails", "exit 3", {}],
    ["prints nothing", ":", {}],
    ["prints something else", "echo not-a-key", {}],
    ["prints bytes", "head -c 100 /dev/urandom", {}],
    ["prints without end", "yes", {}],
    ["waits for an answer", "read line; echo $line", {}],
    [
      "hangs, and ignores that it should end",
      "trap '' TERM; while :; do sleep 0.1; done",
      { ms: 500 },
    ],
  ] as [string, string, { ms?: number }][])("that %s is refused", async (_, command, { ms }) => {
    const code = expect.stringMatching(/^encryption_key_/);
    await expect(byCommand(command, ms)).rejects.toMatchObject({ code });
  });

  it("does not show its output", async () => {
    for (const command of [`echo ${KEY}x`, `echo ${KEY} >&2; exit 1`]) {
      const error: unknown = await byCommand(command).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(Error);
      expect(`${error}${JSON.stringify(error)}`).not.toContain(KEY);
    }
    expect(await byCommand(`echo ${KEY}`)).toHaveLength(1);
  });
});

it("is not passed to agents, even if they get all variables", () => {
  const ours = { BELAY_KEY_FILE: "/key", BELAY_KEY_COMMAND: "echo key", OTHER: "yes" };
  const given = { pass_env: ["*", "BELAY_KEY_FILE"], env: {}, home: "/home", session_id: "s" };
  const passed = cleanEnvironment(ours, given);
  expect(passed).toMatchObject({ OTHER: "yes" });
  expect(Object.keys(passed).filter((name) => name.startsWith("BELAY_KEY"))).toEqual([]);
});

it("cannot read a key in the data folder that it encrypts, under any name", async () => {
  const home = temporaryFolder();
  const file = join(home, "key");
  writeFileSync(file, KEY, { mode: 0o600 });
  await withKey(async () => {
    const opening = openStore({ home, onNotice: () => {} });
    await expect(opening).rejects.toMatchObject({ code: "encryption_key_wrong" });
  }, file);
});
