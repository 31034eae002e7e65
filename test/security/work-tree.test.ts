import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { workTreeLab } from "../service/work-tree-lab.ts";

let lab: Awaited<ReturnType<typeof workTreeLab>>;
afterEach(() => lab.cleanUp());

/** A repository in which every setting that can name a program names one that leaves a mark. */
function poison(root: string, canary: string): void {
  const evil = join(root, "evil.sh");
  writeFileSync(evil, `#!/bin/sh\necho "$0 $*" >> ${canary}\ncat\n`);
  chmodSync(evil, 0o755);
  const hooks = join(root, ".git", "hooks");
  mkdirSync(hooks, { recursive: true });
  for (const hook of [
    "reference-transaction",
    "post-index-change",
    "post-checkout",
    "pre-commit",
    "post-commit",
    "fsmonitor-watchman",
    "pre-auto-gc",
  ]) {
    writeFileSync(join(hooks, hook), `#!/bin/sh\necho ${hook} >> ${canary}\n`);
    chmodSync(join(hooks, hook), 0o755);
  }
  const included = join(root, "more-config");
  writeFileSync(included, `[core]\n\tfsmonitor = ${evil}\n\thooksPath = ${hooks}\n`);
  writeFileSync(
    join(root, ".git", "config"),
    `[core]
\trepositoryformatversion = 1
\tfsmonitor = ${evil}
\thooksPath = ${hooks}
\tpager = ${evil}
\teditor = ${evil}
\tsshCommand = ${evil}
\taskPass = ${evil}
\tattributesFile = ${root}/.gitattributes
\tworktree = /
[include]
\tpath = ${included}
[filter "evil"]
\tclean = ${evil}
\tsmudge = ${evil}
\tprocess = ${evil}
\trequired = true
[diff]
\texternal = ${evil}
[diff "evil"]
\tcommand = ${evil}
\ttextconv = ${evil}
[merge "evil"]
\tdriver = ${evil}
[commit]
\tgpgSign = true
[gpg]
\tprogram = ${evil}
[gpg "ssh"]
\tprogram = ${evil}
[credential]
\thelper = !${evil}
[protocol "ext"]
\tallow = always
[extensions]
\tpartialClone = origin
[remote "origin"]
\turl = ext::${evil}
\tpromisor = true
\tpartialclonefilter = blob:none
[alias]
\tls-files = !${evil}
\twrite-tree = !${evil}
[submodule]
\trecurse = true
[uploadpack]
\tpackObjectsHook = ${evil}
[gc]
\tauto = 1
[maintenance]
\tauto = true
`,
  );
  writeFileSync(join(root, ".gitattributes"), "* filter=evil diff=evil merge=evil\n");
}

describe("a hostile repository", () => {
  it("runs nothing by its configuration when files are recorded, compared and restored", async () => {
    lab = await workTreeLab();
    const { root, folder, write, save, restore, files } = lab;
    const canary = join(folder, "canary");
    write({ "a.txt": "one\n" });
    poison(root, canary);
    const variables = {
      GIT_EXTERNAL_DIFF: join(root, "evil.sh"),
      GIT_SSH_COMMAND: join(root, "evil.sh"),
      GIT_PAGER: join(root, "evil.sh"),
      GIT_DIR: "/nowhere",
      GIT_INDEX_FILE: join(root, ".git", "index"),
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "core.fsmonitor",
      GIT_CONFIG_VALUE_0: join(root, "evil.sh"),
    };
    Object.assign(process.env, variables);
    try {
      await save("green");
      const then = files();
      write({ "a.txt": "two\n", "b.txt": "new\n" });
      await restore("green", { dry_run: true });
      const { difference } = await restore("green");
      expect(difference?.total).toBe(2);
      expect(files()).toEqual(then);
    } finally {
      for (const name of Object.keys(variables)) delete process.env[name];
    }
    expect(existsSync(canary)).toBe(false);
    // The control: git itself, in the same folder, runs it.
    const env = { PATH: process.env.PATH ?? "", HOME: folder };
    try {
      execFileSync("git", ["--work-tree", root, "add", "a.txt"], {
        cwd: root,
        env,
        stdio: "ignore",
      });
    } catch {}
    expect(existsSync(canary)).toBe(true);
  });

  it("writes nothing outside itself through links", async () => {
    lab = await workTreeLab();
    const { root, folder, write, save, restore, remove } = lab;
    mkdirSync(join(folder, "outside"));
    write({ "dir/a.txt": "one", "dir/b.txt": "one" });
    await save("green");
    remove("dir");
    symlinkSync(join(folder, "outside"), join(root, "dir"));
    // A link is a file of its own: it is recorded and removed, and the folder is created again.
    await restore("green");
    expect(existsSync(join(folder, "outside", "a.txt"))).toBe(false);
    expect(lab.files()).toEqual({ "dir/a.txt": "one", "dir/b.txt": "one" });
    // An ignored link is not recorded, so it stays, and nothing is written through it.
    rmSync(join(root, "dir"), { recursive: true });
    symlinkSync(join(folder, "outside"), join(root, "dir"));
    write({ ".gitignore": "dir\n" });
    await expect(restore("green")).rejects.toMatchObject({ code: "work_tree_refused" });
    expect(existsSync(join(folder, "outside", "a.txt"))).toBe(false);
  });
});

describe("a token without the right to run programs", () => {
  it("neither records files nor writes them", async () => {
    lab = await workTreeLab();
    const { write, save, restore, files, as } = lab;
    write({ "a.txt": "one" });
    expect((await save("theirs", as("write"))).files).toBeUndefined();
    await save("green");
    write({ "a.txt": "two" });
    for (const scope of ["read", "record", "write"] as const) {
      for (const more of [{ files: true }, { files: true, fork: true }]) {
        await expect(restore("green", more, as(scope))).rejects.toMatchObject({
          code: scope === "record" ? "session_not_found" : "not_allowed",
        });
      }
    }
    // A caller with scope write sees the difference, but changes nothing.
    const shown = await restore("green", {}, as("write"));
    expect(shown.difference).toMatchObject({ total: 1 });
    expect(shown.files_skipped).toContain("can restore files");
    expect((await restore("green", { dry_run: true }, as("admin"))).files_skipped).toBeUndefined();
    // Neither do a member's browser, and an admin's token that is not a browser's.
    for (const more of [{ role: "member", browser: true }, { role: "admin" }] as const) {
      const login = { ...as("write"), ...more };
      await expect(restore("green", { files: true }, login)).rejects.toMatchObject({
        code: "not_allowed",
      });
    }
    expect(files()).toEqual({ "a.txt": "two" });
    await restore("green", { files: true }, { ...as("write"), role: "admin", browser: true });
    expect(files()).toEqual({ "a.txt": "one" });
    write({ "a.txt": "two" });
    await restore("green", { files: true }, as("admin"));
    expect(files()).toEqual({ "a.txt": "one" });
  });
});

describe("a member with a fork of another person's session", () => {
  it("sees nothing of the files in that person's folder", async () => {
    lab = await workTreeLab();
    const { service, caller, id, write, save } = lab;
    const bob = { ...caller, owner: "bob", scope: "write", role: "member" } as const;
    await service.call("add_person", { name: "bob" }, caller);
    write({ "a.txt": "one" });
    await save("green");
    await service.call("share", { id, with: "bob", role: "editor" }, caller);
    const fork = await service.call("fork", { id: `ann/${id}` }, bob);
    await service.call("unshare", { id, with: "bob" }, caller);
    write({ "a.txt": "CANARY" });
    for (const more of [{ dry_run: true }, {}, { fork: true }]) {
      const input = { id: fork.session_id, name: "green", ...more };
      const seen = await service.call("restore_checkpoint", input, bob);
      expect(seen.difference).toBeUndefined();
      expect(seen.files_skipped).toContain("Members cannot see");
    }
    // Control: an admin sees the difference.
    const shown = await service.call("restore_checkpoint", { id, name: "green" }, caller);
    expect(JSON.stringify(shown.difference)).toContain("CANARY");
  });
});
