import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, cpSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import about from "../../package.json" with { type: "json" };

const root = fileURLToPath(new URL("../../", import.meta.url));
const { version } = about;
const ME = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com"];

let project: string;
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), "belay-release-test-"));
  const copy = 'git ls-files -co --exclude-standard -z | tar --null -T - -cf - | tar -xf - -C "$0"';
  execFileSync("sh", ["-c", copy, project], { cwd: root });
  symlinkSync(join(root, "node_modules"), join(project, "node_modules"));
  cpSync(join(root, "dist"), join(project, "dist"), { recursive: true });
  git("init", "--quiet", "--initial-branch=main");
  appendFileSync(join(project, ".git/info/exclude"), "node_modules\n");
  git("add", "--all");
  git("commit", "--quiet", "--message", "Begin");
});
afterAll(() => rmSync(project, { recursive: true }));

describe("npm run release", () => {
  it("prints its usage if the version is missing or invalid", () => {
    for (const args of [[], ["next"], ["1.2.3", "4.5.6"], ["--fast"]]) {
      const { status, stderr } = release(...args);
      expect([status, stderr]).toEqual([1, expect.stringContaining("Usage:")]);
    }
  });

  it("refuses another branch, and uncommitted changes", () => {
    git("switch", "--quiet", "--create", "work");
    expect(release("7.0.0").stderr).toContain("git switch main");
    git("switch", "--quiet", "main");
    appendFileSync(join(project, "README.md"), "more\n");
    expect(release("7.0.0").stderr).toContain("README.md");
    git("checkout", "--quiet", "README.md");
  });

  it("restores every file if the package is faulty", () => {
    const { status, stderr } = release("7.0.0", "--tested");
    expect([status, stderr]).toEqual([1, expect.stringMatching(/says it is .*, not 7\.0\.0/)]);
    expect(git("status", "--porcelain", "--ignored")).not.toMatch(/package\.json|CHANGELOG|\.tgz/);
    expect(git("tag")).toBe("");
  });

  it("makes a commit, a tag and a working package, and never the same version twice", () => {
    const made = release(version, "--tested");
    expect(made).toMatchObject({ status: 0, stdout: expect.stringContaining("npm publish") });
    expect(git("log", "-1", "--format=%s")).toBe(`Release ${version}`);
    expect(git("tag")).toBe(`v${version}`);
    expect(git("show", "HEAD:CHANGELOG.md")).toContain(
      `## ${version} (${new Date().getFullYear()}`,
    );
    expect(git("status", "--porcelain")).toBe("");
    expect(release(version, "--tested").stderr).toContain("released before");
  });
});

function release(...args: readonly string[]) {
  const script = join(project, "scripts/release.mjs");
  const env = { ...process.env, npm_config_offline: "true" };
  for (const role of ["AUTHOR", "COMMITTER"]) {
    Object.assign(env, { [`GIT_${role}_NAME`]: "Ann", [`GIT_${role}_EMAIL`]: "ann@example.com" });
  }
  return spawnSync(process.execPath, [script, ...args], { cwd: project, env, encoding: "utf8" });
}

function git(...args: readonly string[]): string {
  return execFileSync("git", [...ME, ...args], { cwd: project, encoding: "utf8" }).trim();
}
