import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { seededRandom } from "../crash/seeded-random.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";
import { type Cut, PowerCut, readFolder } from "./power-cut.ts";
import type { Note } from "./read-recording.ts";

const root = temporaryFolder();
const [before, disk] = [join(root, "before"), join(root, "disk")];
const PAGE = 4096;
let cut: PowerCut;
let folder: number;
let file: number;

beforeEach(() => {
  rmSync(before, { recursive: true, force: true });
  mkdirSync(before);
  writeFileSync(join(before, "file"), "a".repeat(2 * PAGE));
  const read = readFolder(before);
  cut = new PowerCut(read);
  folder = read.inode;
  file = read.entries.get("file")?.inode ?? 0;
});

function follow(...notes: readonly Note[]): void {
  for (const note of notes) cut.follow(note);
}

function build(kind: Cut, seed = 1): Record<string, string> {
  rmSync(disk, { recursive: true, force: true });
  cut.build(kind, seededRandom(seed), disk);
  const names = readdirSync(disk);
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(disk, name), "latin1")]));
}

const write = (at: number, text: string): Note => ({
  kind: "write",
  inode: file,
  at,
  bytes: Buffer.from(text),
});
const sync = (inode: number, token: number): Note[] => [
  { kind: "sync", inode, token },
  { kind: "synced", inode, token },
];
const NONE = { contents: "none", names: "ordered" } as const;
const STRICT = { contents: "none", names: "strict" } as const;

describe("a disk after a power cut", () => {
  it("has what was written before a sync that finished started, and perhaps what came later", () => {
    follow(write(0, "one"), { kind: "sync", inode: file, token: 1 }, write(3, "two"));
    expect(build(NONE).file?.slice(0, 6)).toBe("aaaaaa");
    follow({ kind: "synced", inode: file, token: 1 });
    expect(build(NONE).file?.slice(0, 6)).toBe("oneaaa");
    const seen = seeds((seed) => build({ ...NONE, contents: "prefix" }, seed).file?.slice(0, 6));
    expect(seen).toEqual(new Set(["oneaaa", "onetwo"]));
  });

  it("has each page of another moment, and torn pages", () => {
    follow(write(0, "b".repeat(2 * PAGE)));
    const seen = seeds((seed) => {
      const text = build({ ...NONE, contents: "pages" }, seed).file ?? "";
      return text.replace(/(.)\1*/g, (run, letter) => `${letter}${run.length} `);
    });
    expect(seen).toContain(`b${PAGE} a${PAGE} `);
    expect(seen).toContain(`a${PAGE} b${PAGE} `);
    const runs = [...seen].flatMap((text) => text.match(/\d+/g) ?? []).map(Number);
    expect(runs.some((run) => run % PAGE !== 0)).toBe(true);
    expect(runs.every((run) => run % 512 === 0)).toBe(true);
  });

  it("can be longer than what was written, with zeros", () => {
    follow(write(2 * PAGE, "c".repeat(PAGE)));
    const seen = seeds((seed) => build({ ...NONE, contents: "pages" }, seed).file?.slice(2 * PAGE));
    expect(seen).toContain("\0".repeat(PAGE));
    expect(seen).toContain("");
  });

  it("has a new name after any later sync or, by the strict rule, after one of its folder", () => {
    follow({ kind: "file", folder, name: "new", inode: 1 }, ...sync(file, 1));
    expect([Object.keys(build(NONE)), Object.keys(build(STRICT))]).toEqual([
      ["file", "new"],
      ["file"],
    ]);
    follow({ kind: "rename", folder, name: "new", to: folder, newName: "newer" });
    expect(Object.keys(build(NONE))).toEqual(["file", "new"]);
    follow(...sync(folder, 2), { kind: "remove", folder, name: "file", inode: file });
    expect(Object.keys(build(STRICT))).toEqual(["file", "newer"]);
    follow(...sync(folder, 3));
    expect(Object.keys(build(STRICT))).toEqual(["newer"]);
  });
});

function seeds<T>(look: (seed: number) => T): Set<T> {
  return new Set(Array.from({ length: 60 }, (_, seed) => look(seed)));
}
