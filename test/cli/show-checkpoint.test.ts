import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { checkpoint } from "../../src/doors/cli/show/show.ts";
import { runGit, writeFiles } from "../service/work-tree-lab.ts";
import { newPlace } from "./run-belay.ts";

it("a checkpoint is shown with its complete state, however long", () => {
  const state = { branch: "fix", files: Array.from({ length: 50 }, (_, nth) => `file-${nth}`) };
  const shown = checkpoint({
    name: "tests_passing",
    checkpoint_id: "c1",
    timestamp: "2026-01-08T18:00:00.000Z",
    state,
  });
  expect(JSON.parse(shown.slice(shown.indexOf("{")))).toEqual(state);
});

it("files of a trusted work tree are recorded, compared and restored", async () => {
  const place = newPlace();
  try {
    runGit(place.root, "init", "-q");
    writeFiles(place.root, { "a.txt": "then\n" });
    await place.belay("create", "--agent", "a", "--id", "sess-1");
    const save = async () => (await place.belay("checkpoint", "save", "sess-1", "green")).stdout;
    expect(await save()).toMatch(/files +not recorded: .* is not trusted\. Trust it with: belay/);
    expect((await place.belay("checkpoint", "trust")).stdout).toContain(place.root);
    // The data folder in the work tree is not among the files.
    expect(await save()).toMatch(/files +1 of .* \(5 bytes\)/);
    writeFiles(place.root, { "a.txt": "now\n", "\u202enew": "x\n" });
    const restore = async (...more: string[]) =>
      (await place.belay("checkpoint", "restore", "sess-1", "green", ...more)).stdout;
    const seen = await restore("--dry-run");
    expect(seen).toMatch(/modified +a\.txt +\+1 -1/);
    expect(seen).toMatch(/removed +\S*new/);
    expect(seen).not.toContain("\u202e");
    expect(readFileSync(join(place.root, "a.txt"), "utf8")).toBe("now\n");
    expect(await restore("--files")).toMatch(
      /Undo it with: belay checkpoint restore ID before-restore-\S+ --files/,
    );
    expect(readFileSync(join(place.root, "a.txt"), "utf8")).toBe("then\n");
  } finally {
    place.remove();
  }
}, 120_000);
