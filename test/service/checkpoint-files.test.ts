import { execFileSync } from "node:child_process";
import {
  chownSync,
  closeSync,
  existsSync,
  ftruncateSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { applyChanges, undoChanges } from "../../src/drive/work-tree/apply-changes.ts";
import { readEntry } from "../../src/drive/work-tree/tree-file.ts";
import { trustWorkTree } from "../../src/drive/work-tree/trust-work-tree.ts";
import { readGitState, readTree, runGit, workTreeLab, writeFiles } from "./work-tree-lab.ts";

type Lab = Awaited<ReturnType<typeof workTreeLab>>;
let lab: Lab;
afterEach(() => lab.cleanUp());

const newLab = async (options?: Parameters<typeof workTreeLab>[0]) => {
  lab = await workTreeLab(options);
  return lab;
};

describe("a checkpoint in a trusted git work tree", () => {
  it("records files that git tracks or would track, and leaves the user's index and stash alone", async () => {
    const { root, git, write, save, files } = await newLab();
    write({ ".gitignore": "*.log\nbuild/\n", "a.txt": "one\n", "kept.log": "tracked\n" });
    git("add", "-f", ".");
    git("commit", "-qm", "first");
    write({ "stashed.txt": "s" });
    git("stash", "-qu");
    write({ "a.txt": "two\n", "new/b.txt": "untracked\n", "noise.log": "x", "build/out": "x" });
    git("add", "a.txt");
    write({ "a.txt": "three\n" });
    const before = [readGitState(root), git("status", "--porcelain"), git("stash", "list")];
    const saved = await save("green");
    expect(saved.files).toMatchObject({ root, count: 4 });
    const commit = saved.files?.commit ?? "";
    expect(git("ls-tree", "-r", "--name-only", commit).trim().split("\n")).toEqual([
      ".gitignore",
      "a.txt",
      "kept.log",
      "new/b.txt",
    ]);
    expect(git("show", `${commit}:a.txt`)).toBe("three\n");
    expect(git("rev-parse", `${commit}^`)).toBe(git("rev-parse", "HEAD"));
    expect(git("for-each-ref", "refs/belay")).toContain(commit);
    expect([readGitState(root), git("status", "--porcelain"), git("stash", "list")]).toEqual(
      before,
    );
    expect(Object.keys(files())).toContain("noise.log");
    // Packed refs are found too, and kept objects stay.
    git("pack-refs", "--all");
    git("gc", "-q", "--prune=now");
    write({ "a.txt": "four\n" });
    expect((await lab.restore("green", { dry_run: true })).difference?.changes).toEqual([
      { path: "a.txt", change: "modified", added: 1, removed: 1 },
    ]);
  });

  it("works before the first commit, and in a folder below the root", async () => {
    const { write, save, restore, files, service, caller, root } = await newLab();
    write({ "src/a.txt": "one" });
    const { session_id } = await service.call(
      "create",
      { agent_name: "b", project: { cwd: join(root, "src"), repo: root, branch: null } },
      caller,
    );
    const below = await service.call("save_checkpoint", { id: session_id, name: "b" }, caller);
    expect(below.files).toMatchObject({ root, count: 1, bytes: 3 });
    await save("green");
    write({ "src/a.txt": "two", "src/b.txt": "new" });
    await restore("green");
    expect(files()).toEqual({ "src/a.txt": "one" });
  });

  it("works in a linked work tree, and in a repository with SHA-256", async () => {
    const { folder, home, git, write, service, caller } = await newLab();
    write({ "a.txt": "one" });
    git("add", ".");
    git("commit", "-qm", "first");
    const [linked, sha256] = [join(folder, "linked"), join(folder, "sha256")];
    git("worktree", "add", "-q", linked);
    mkdirSync(sha256);
    runGit(sha256, "init", "-q", "--object-format=sha256");
    for (const cwd of [linked, sha256]) {
      trustWorkTree(home, cwd);
      writeFiles(cwd, { "a.txt": "one", "b.txt": "untracked" });
      const project = { cwd, repo: null, branch: null };
      const created = await service.call("create", { agent_name: "b", project }, caller);
      const id = created.session_id;
      await service.call("save_checkpoint", { id, name: "green" }, caller);
      writeFiles(cwd, { "a.txt": "two", "c.txt": "new" });
      await service.call("restore_checkpoint", { id, name: "green", files: true }, caller);
      expect(readTree(cwd)).toEqual({ "a.txt": "one", "b.txt": "untracked" });
    }
  });

  it("keeps bytes, modes, links and unusual names exactly, whatever attributes say", async () => {
    const { git, write, save, restore, files, remove, root } = await newLab();
    git("config", "core.autocrlf", "true");
    const all = {
      ".gitattributes": "* text=auto eol=crlf ident\n*.u16 working-tree-encoding=UTF-16\n",
      "crlf.txt": "a\r\nb\nc $Id$\r\n",
      "x.u16": "not utf-16 at all",
      "run.sh": "#!/bin/sh\n",
      link: "->crlf.txt",
      "dangling link": "->/nowhere",
      'quote" \\ tab\t ünï -> \u202e.txt': "odd",
      "-n": "dash",
      "deep/er/and/deeper/file": "x",
      "large.bin": "\0".repeat(300_000),
    };
    write(all);
    await save("green");
    for (const path of Object.keys(all)) remove(path);
    remove("deep");
    write({ link: "a file now", "deep/er": "a file now", "run.sh/inner": "a folder now" });
    const { difference } = await restore("green");
    expect(files()).toEqual(all);
    expect(lstatSync(join(root, "run.sh")).mode & 0o111).toBe(0o111);
    expect(difference).toMatchObject({ restored: true, total: 12 });
    expect(readdirSync(join(root, ".git")).filter((name) => name.includes("belay"))).toEqual([]);
  });

  it("shows the difference, restores exactly that, and undoes it", async () => {
    const { write, save, restore, remove, files, service, caller, id } = await newLab();
    write({ "a.txt": "one\n", "gone.txt": "back\n" });
    const then = files();
    await save("green");
    write({ "a.txt": "two\nlines\n", "new.txt": "unsaved work\n" });
    remove("gone.txt");
    const now = files();
    const { difference, restored } = await restore("green", { dry_run: true });
    expect(restored).toBe(false);
    expect(difference).toMatchObject({
      restored: false,
      total: 3,
      changes: [
        { path: "a.txt", change: "modified", added: 1, removed: 2 },
        { path: "gone.txt", change: "added", added: 1, removed: 0 },
        { path: "new.txt", change: "removed", added: 0, removed: 1 },
      ],
    });
    expect(difference?.patch).toContain("-unsaved work");
    expect(files()).toEqual(now);
    const seen = difference?.present;
    write({ "new.txt": "more work\n" });
    await expect(restore("green", { files: true, expected_files: seen })).rejects.toMatchObject({
      code: "version_conflict",
    });
    expect(files()["new.txt"]).toBe("more work\n");
    write({ "new.txt": "unsaved work\n" });
    const done = await restore("green", { files: true, expected_files: seen });
    expect(files()).toEqual(then);
    expect(done.state).toEqual({ step: "green" });
    const undo = done.difference?.undo ?? "";
    await restore(undo);
    expect(files()).toEqual(now);
    const { events } = await service.call("log", { id }, caller);
    expect(events.map(({ type }) => type).filter((type) => type.startsWith("checkpoint"))).toEqual([
      "checkpoint.saved",
      "checkpoint.saved",
      "checkpoint.restored",
      "checkpoint.saved",
      "checkpoint.restored",
    ]);
  });

  it("restores files once for a request that is sent twice", async () => {
    const { write, save, restore, files } = await newLab();
    write({ "a.txt": "one" });
    await save("green");
    write({ "a.txt": "two" });
    const asked = { files: true, fork: true, idempotency_key: "k1" };
    const first = await restore("green", asked);
    write({ "a.txt": "three" });
    expect((await restore("green", asked)).session_id).toBe(first.session_id);
    expect(files()).toEqual({ "a.txt": "three" });
  });

  it("answers a save that is sent twice with the files of the first", async () => {
    const { write, service, caller, id } = await newLab();
    write({ "a.txt": "one" });
    const asked = { id, name: "green", idempotency_key: "k1" };
    const first = await service.call("save_checkpoint", asked, caller);
    write({ "a.txt": "two", "b.txt": "x" });
    expect(await service.call("save_checkpoint", asked, caller)).toEqual(first);
  });

  it("continues in a fork of a finished session, and refuses files without a fork", async () => {
    const { write, save, restore, files, service, caller, id } = await newLab();
    write({ "a.txt": "one" });
    await save("green");
    await service.call("finalize", { id, outcome: "completed", summary: "done" }, caller);
    write({ "a.txt": "two" });
    expect(await restore("green", {})).toMatchObject({
      restored: false,
      state: { step: "green" },
      difference: { total: 1, restored: false },
    });
    await expect(restore("green")).rejects.toMatchObject({ code: "work_tree_refused" });
    const { session_id } = await restore("green", { files: true, fork: true });
    expect(session_id).not.toBe(id);
    expect(files()).toEqual({ "a.txt": "one" });
  });
});

describe("a restore that would lose files", () => {
  it("is refused if an ignored file is in the way", async () => {
    const { write, save, restore, files } = await newLab();
    write({ "secret.env": "old" });
    await save("green");
    write({ ".gitignore": "secret.env\n", "secret.env": "new, and nowhere else" });
    const before = files();
    await expect(restore("green")).rejects.toMatchObject({
      code: "work_tree_refused",
      message: expect.stringContaining("secret.env exists and is not recorded"),
    });
    expect(files()).toEqual(before);
    // The same for an ignored file in a folder that a file would replace.
    write({ ".gitignore": "dir/secret\n", "dir/secret": "ignored", "dir/file": "x" });
    lab.remove("secret.env");
    const folder = files();
    lab.remove("dir");
    write({ dir: "a file" });
    await save("file");
    lab.remove("dir");
    write({ "dir/secret": "ignored", "dir/file": "x" });
    await expect(restore("file")).rejects.toMatchObject({ code: "work_tree_refused" });
    expect(files()).toEqual(folder);
  });

  it("is refused during a git operation, unlike saving", async () => {
    const { root, write, save, restore, files } = await newLab();
    write({ "a.txt": "one" });
    await save("green");
    write({ "a.txt": "two" });
    for (const [what, mark] of [
      ["rebase", "rebase-merge"],
      ["rebase", "rebase-apply"],
      ["merge", "MERGE_HEAD"],
      ["cherry-pick", "CHERRY_PICK_HEAD"],
      ["bisect", "BISECT_LOG"],
      ["git command", "index.lock"],
    ] as const) {
      writeFileSync(join(root, ".git", mark), "");
      await expect(restore("green")).rejects.toMatchObject({
        message: expect.stringContaining(`A ${what} is in progress`),
      });
      if (mark === "rebase-merge") expect((await save("meanwhile")).files?.count).toBe(1);
      rmSync(join(root, ".git", mark));
    }
    expect(files()).toEqual({ "a.txt": "two" });
  });

  it("is refused during a turn", async () => {
    const { write, save, restore, service, caller, id } = await newLab();
    write({ "a.txt": "one" });
    await save("green");
    await service.call("begin_action", { id, type: "edit" }, caller);
    await expect(restore("green")).rejects.toMatchObject({ code: "turn_open" });
  });

  it("is refused if the repository no longer has the commit", async () => {
    const { write, save, restore, git } = await newLab();
    write({ "a.txt": "one" });
    await save("green");
    const ref = git("for-each-ref", "--format=%(refname)", "refs/belay").trim();
    git("update-ref", "-d", ref);
    await expect(restore("green")).rejects.toMatchObject({ code: "work_tree_refused" });
    expect((await restore("green", {})).files_skipped).toContain("is missing there");
  });
});

describe("an interrupted restore", () => {
  it.each([
    ["edited in place", false],
    ["replaced", true],
  ])("keeps a file that was %s since, if the restore is undone", async (_, isReplaced) => {
    const { root, write, files } = await newLab();
    const aside = join(root, ".git", "belay-restore-test");
    mkdirSync(join(aside, "old"), { recursive: true });
    write({ "a.txt": "before", "dir/b.txt": "before" });
    writeFiles(join(aside, "new"), { "a.txt": "restored", "new/c.txt": "restored" });
    const entry = (path: string) => readEntry(join(root, path), false);
    const changes = [
      { path: "a.txt", from: entry("a.txt"), to: entry(".git/belay-restore-test/new/a.txt") },
      { path: "dir/b.txt", from: entry("dir/b.txt"), to: null },
      { path: "new/c.txt", from: null, to: entry(".git/belay-restore-test/new/new/c.txt") },
    ];
    const plan = {
      root,
      is_sha256: false,
      aside,
      owner: "ann",
      undo: "0123456789",
      folders: ["dir"],
    };
    applyChanges({ ...plan, changes });
    expect(files()).toEqual({ "a.txt": "restored", "new/c.txt": "restored" });
    if (isReplaced) lab.remove("a.txt");
    writeFileSync(join(root, "a.txt"), "unsaved work");
    expect(undoChanges({ ...plan, changes })).toEqual(["a.txt.kept-01234567"]);
    const whole = {
      "a.txt": "before",
      "a.txt.kept-01234567": "unsaved work",
      "dir/b.txt": "before",
    };
    expect(files()).toEqual(whole);
    expect(existsSync(join(root, "new"))).toBe(false);
    // Undone once more, it changes nothing.
    expect(undoChanges({ ...plan, changes })).toEqual([]);
    expect(files()).toEqual(whole);
  });
});

describe("a checkpoint gives the reason if it has no files", () => {
  const skipped = async (text: string) => {
    const saved = await lab.save("green");
    expect(saved.files).toBeUndefined();
    expect(saved.files_skipped).toContain(text);
    const shown = await lab.service.call(
      "show_checkpoint",
      { id: lab.id, name: "green" },
      lab.caller,
    );
    expect(shown.files_skipped).toBe(saved.files_skipped);
    expect(shown.state).toEqual({ step: "green" });
    await expect(lab.restore("green")).rejects.toMatchObject({ code: "work_tree_refused" });
  };

  it("in a folder that is not trusted", async () => {
    await newLab({ trusted: false });
    await skipped("is not trusted. Trust it with: belay checkpoint trust");
    expect(existsSync(join(lab.root, ".git", "refs", "belay"))).toBe(false);
  });

  it("outside a work tree, and without git", async () => {
    await newLab({ init: false });
    await skipped("is not in a git work tree");
    const path = process.env.PATH;
    process.env.PATH = "/nowhere:.";
    try {
      await skipped("git is not installed");
    } finally {
      process.env.PATH = path;
    }
  });

  it("with a submodule or a nested repository, unless git ignores it", async () => {
    const { root, git, write, save } = await newLab();
    write({ "a.txt": "one" });
    mkdirSync(join(root, "inner"));
    runGit(join(root, "inner"), "init", "-q");
    writeFiles(join(root, "inner"), { "b.txt": "two" });
    runGit(join(root, "inner"), "add", ".");
    runGit(join(root, "inner"), "commit", "-qm", "x");
    await skipped("contains another repository, inner/");
    git("add", "inner");
    git("commit", "-qm", "as a submodule");
    await skipped("contains another repository, inner");
    git("rm", "-q", "--cached", "inner");
    write({ ".gitignore": "inner\n" });
    expect((await save("now")).files?.count).toBe(2);
  });

  it.runIf(process.getuid?.() === 0)("in a repository of another user", async () => {
    const { root } = await newLab();
    for (const path of [join(root, ".git"), root]) {
      chownSync(path, 4321, 4321);
      await skipped("belongs to another user");
      chownSync(path, 0, 0);
    }
  });

  it("with more bytes or files than allowed", async () => {
    const { root } = await newLab();
    const file = openSync(join(root, "huge"), "w");
    ftruncateSync(file, 1024 ** 3 + 1);
    closeSync(file);
    await skipped("1024 MB that git does not ignore");
    lab.remove("huge");
    const empty = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
    const entries = Array.from({ length: 50_001 }, (_, n) => `100644 ${empty}\t${n}\n`).join("");
    execFileSync("git", ["update-index", "--index-info"], { cwd: root, input: entries });
    await skipped("has more than 50,000 files");
  });
});
