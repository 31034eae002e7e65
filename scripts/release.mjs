#!/usr/bin/env node
// `npm run release -- VERSION [--tested] [--dry-run]`: makes a release, as a commit, a tag and a package file.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

const USAGE = `Usage: npm run release -- VERSION [--tested] [--dry-run]

Makes a release on main: writes VERSION and today's date, runs the tests, packs, installs the package into an empty
folder and starts it, then commits and tags. It publishes nothing: the last lines say how to.

  --tested   the tests passed at this commit, and dist/ has this version already: skip tests and build
  --dry-run  do everything, then put all files back and keep neither commit nor tag

Example: npm run release -- 0.2.0`;

const VERSIONED = ["package.json", "runtime/package.json", "web/package.json"];
const CHANGED = [...VERSIONED, "package-lock.json", "CHANGELOG.md"];

const { values, positionals } = readArguments();
const [version] = positionals;
if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version ?? "") || positionals.length > 1) stop(USAGE);
const tag = `v${version}`;

refuseUnready();
try {
  release();
} catch (error) {
  restore();
  stop(
    `${error instanceof Error ? error.message : error}\nNothing was released. All files are as they were.`,
  );
}

function refuseUnready() {
  if (git("branch", "--show-current") !== "main")
    stop("A release is made on main: git switch main");
  const changed = git("status", "--porcelain");
  if (changed) stop(`Commit these changes or put them aside first:\n${changed}`);
  if (git("tag", "--list", tag)) stop(`${tag} was released before. Choose another version.`);
  if (!/^## .* \(unreleased\)$/m.test(readFileSync("CHANGELOG.md", "utf8"))) {
    stop(
      'CHANGELOG.md has nothing to release. Begin a section "## VERSION (unreleased)" with what changed.',
    );
  }
}

function release() {
  writeVersion();
  if (!values.tested) run("npm", "test");
  const file = pack();
  tryPackage(file);
  if (values["dry-run"]) {
    rmSync(file);
    restore();
    return say(`${tag} can be released. All files are as they were.`);
  }
  run("git", "commit", "--quiet", "--message", `Release ${version}`, "--", ...CHANGED);
  run("git", "tag", "--annotate", tag, "--message", tag);
  say(
    `Made ${tag} and ${file}. To publish them:\n  git push --follow-tags origin main\n  npm publish ${file}`,
  );
}

function writeVersion() {
  for (const path of VERSIONED) edit(path, (json) => Object.assign(json, { version }));
  edit("package-lock.json", (lock) => {
    lock.version = version;
    for (const own of ["", "runtime", "web"])
      if (lock.packages[own]) lock.packages[own].version = version;
  });
  const today = new Date().toISOString().slice(0, 10);
  const log = readFileSync("CHANGELOG.md", "utf8");
  writeFileSync("CHANGELOG.md", log.replace(/^## .* \(unreleased\)$/m, `## ${version} (${today})`));
}

function edit(path, change) {
  const json = JSON.parse(readFileSync(path, "utf8"));
  change(json);
  writeFileSync(path, `${JSON.stringify(json, null, 2)}\n`);
}

function pack() {
  const [packed] = JSON.parse(output("npm", "pack", "--ignore-scripts", "--json"));
  return packed.filename;
}

/** What a stranger would do first. */
function tryPackage(file) {
  const folder = mkdtempSync(join(tmpdir(), "belay-release-"));
  try {
    writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
    const install = [
      "install",
      "--no-audit",
      "--no-fund",
      "--prefix",
      folder,
      join(process.cwd(), file),
    ];
    run("npm", ...install);
    const shown = output(join(folder, "node_modules/.bin/belay"), "--version");
    if (shown !== version)
      throw new Error(`The packed program says it is ${shown}, not ${version}.`);
  } catch (error) {
    rmSync(file);
    throw error;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function restore() {
  run("git", "checkout", "--quiet", "HEAD", "--", ...CHANGED.filter((path) => existsSync(path)));
}

function readArguments() {
  const options = { tested: { type: "boolean" }, "dry-run": { type: "boolean" } };
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    return stop(`${error.message}\n\n${USAGE}`);
  }
}

function git(...args) {
  return output("git", ...args);
}

function output(command, ...args) {
  return execFileSync(command, args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  }).trim();
}

function run(command, ...args) {
  const done = spawnSync(command, args, { stdio: ["ignore", 2, "inherit"] });
  if (done.status !== 0) throw new Error(`This failed: ${[command, ...args].join(" ")}`);
}

function say(text) {
  process.stdout.write(`${text}\n`);
}

function stop(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
