import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runWorker } from "./run-worker.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const root = temporaryFolder();

it("folders have mode 0700 and files 0600 with any umask", async () => {
  const home = join(root, "deep", "home");
  mkdirSync(join(root, "deep"));
  const { signal } = await runWorker("careless", [home]);
  expect(signal).toBe("SIGKILL");
  expect(rightsIn(home)).toEqual({
    ".": "700",
    "anchor.log": "600",
    "belay.db": "600",
    "belay.db-shm": "600",
    "belay.db-wal": "600",
  });
  expect(rightsIn(`${home}-backup`)).toMatchObject({
    ".": "700",
    "anchor.log": "600",
    "belay.db": "600",
  });
});

it("control: a file that is created without a mode is open to all", () => {
  const folder = join(root, "careless");
  const umask = process.umask(0);
  mkdirSync(folder);
  writeFileSync(join(folder, "file"), "");
  process.umask(umask);
  expect(rightsIn(folder)).toEqual({ ".": "777", file: "666" });
});

function rightsIn(folder: string): Record<string, string> {
  const names = [".", ...readdirSync(folder)];
  return Object.fromEntries(
    names.map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]),
  );
}
