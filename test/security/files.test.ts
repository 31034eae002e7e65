import { execFileSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { appendLines } from "../../src/files/append-lines.ts";
import { FileRefusal } from "../../src/files/file-refusal.ts";
import { isInside } from "../../src/files/is-inside.ts";
import { createFile, openToAppend } from "../../src/files/open-file.ts";
import { openFolder, withFolder } from "../../src/files/open-folder.ts";
import { readFile } from "../../src/files/read-file.ts";
import { removeEmptyFolder, removeFile } from "../../src/files/remove-file.ts";
import { replaceFile } from "../../src/files/replace-file.ts";

let root: string;
let victim: string;
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), "belay-files-"));
  root = join(folder, "root");
  victim = join(folder, "victim");
  mkdirSync(root);
  mkdirSync(victim);
  writeFileSync(join(victim, "own.txt"), "mine");
});
afterEach(() => rmSync(join(root, ".."), { recursive: true, force: true }));

const modeOf = (path: string): number => statSync(path).mode & 0o777;
const makePipe = (path: string): void => void execFileSync("mkfifo", [path]);

describe("a folder below a root", () => {
  it("is not reached through a link, and nothing is created behind the link", () => {
    symlinkSync(victim, join(root, "a"));
    const place = { root, names: ["a", "b"] };
    expect(() => withFolder(place, () => 1)).toThrow(FileRefusal);
    expect(() => openFolder(place, { create: false })).toThrow(FileRefusal);
    expect(readdirSync(victim)).toEqual(["own.txt"]);
  });

  it("stays the same folder if a link replaces it while it is open", () => {
    withFolder({ root, names: ["a"] }, (folder) => {
      renameSync(join(root, "a"), join(root, "moved"));
      symlinkSync(victim, join(root, "a"));
      replaceFile(folder.entry("own.txt"), "ours");
    });
    expect(readFileSync(join(victim, "own.txt"), "utf8")).toBe("mine");
    expect(readFileSync(join(root, "moved", "own.txt"), "utf8")).toBe("ours");
  });

  it("is created for its owner only, with any umask", () => {
    const before = process.umask(0);
    try {
      withFolder({ root, names: ["a", "b"] }, (folder) => replaceFile(folder.entry("f"), "x"));
      expect(
        [join(root, "a"), join(root, "a", "b"), join(root, "a", "b", "f")].map(modeOf),
      ).toEqual([0o700, 0o700, 0o600]);
    } finally {
      process.umask(before);
    }
  });

  it.each(["", ".", "..", "a/b", "../x", "a\0b"])("has no entry named %j", (name) => {
    expect(() => withFolder({ root, names: [name] }, () => 1)).toThrow(FileRefusal);
    expect(() => withFolder({ root, names: [] }, (folder) => folder.entry(name))).toThrow(
      FileRefusal,
    );
  });

  it("is null if it is missing and should not be created", () => {
    expect(openFolder({ root, names: ["a"] }, { create: false })).toBeNull();
    expect(readdirSync(root)).toEqual([]);
  });
});

describe("a file", () => {
  it("is not read, appended to or created through a link", () => {
    const link = join(root, "link");
    symlinkSync(join(victim, "own.txt"), link);
    for (const use of [() => readFile(link), () => openToAppend(link), () => createFile(link)]) {
      expect(use).toThrow();
    }
    expect(readFileSync(join(victim, "own.txt"), "utf8")).toBe("mine");
    expect(readFile(link, { followLinks: true })?.toString()).toBe("mine");
  });

  it("is not appended to while it has a second name, which may be another user's", () => {
    linkSync(join(victim, "own.txt"), join(root, "log"));
    const file = openToAppend(join(root, "log"));
    expect(() => appendLines(file, join(root, "log"), ["ours"])).toThrow("has another name");
    closeSync(file);
    expect(readFileSync(join(victim, "own.txt"), "utf8")).toBe("mine");
  });

  it("is refused at once when it is a pipe, a folder or a device", () => {
    makePipe(join(root, "pipe"));
    for (const path of [join(root, "pipe"), victim, "/dev/zero"]) {
      expect(() => readFile(path)).toThrow("is not a regular file");
    }
    expect(() => openToAppend(join(root, "pipe"))).toThrow("is not a regular file");
  });

  it("that replaces a link does not change the link's target, and leaves no temporary file", () => {
    symlinkSync(join(victim, "own.txt"), join(root, "f"));
    expect(replaceFile(join(root, "f"), "ours", { isWanted: () => false })).toBe(false);
    expect(lstatSync(join(root, "f")).isSymbolicLink()).toBe(true);
    expect(replaceFile(join(root, "f"), "ours")).toBe(true);
    expect(readFileSync(join(victim, "own.txt"), "utf8")).toBe("mine");
    expect(readdirSync(root)).toEqual(["f"]);
  });

  it("is removed alone: links and non-empty folders stay", () => {
    symlinkSync(victim, join(root, "link"));
    mkdirSync(join(root, "full", "inner"), { recursive: true });
    expect([join(root, "link"), join(root, "full"), join(root, "none")].map(removeFile)).toEqual([
      false,
      false,
      false,
    ]);
    expect(removeEmptyFolder(join(root, "full"))).toBe(false);
    expect(removeEmptyFolder(join(root, "full", "inner"))).toBe(true);
    expect(existsSync(join(victim, "own.txt"))).toBe(true);
  });
});

describe("a path", () => {
  it("is inside a folder only if no link leads elsewhere", () => {
    symlinkSync(victim, join(root, "out"));
    symlinkSync(join(victim, "none"), join(root, "dangling"));
    writeFileSync(join(root, "f"), "");
    const paths = ["f", "new", "dangling", "out/own.txt", "../victim/own.txt", ".", "none/f"];
    expect(paths.map((path) => isInside(root, join(root, path)))).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
  });
});
