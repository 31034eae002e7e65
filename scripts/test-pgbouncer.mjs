#!/usr/bin/env node
// `npm run test:pgbouncer`: the suite of the PostgreSQL store and the tests of nodes, with every connection through
// PgBouncer in transaction mode. Debian 12 has PgBouncer 1.18, and statements with names need 1.21: where there is none,
// it unpacks Debian 13's into a folder of its own, with its libraries. It is no part of `npm test`.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const TESTS = [
  "test/postgres/postgres.test.ts",
  "test/postgres/postgres-nodes.test.ts",
  "test/postgres/postgres-upgrade.test.ts",
  "test/nodes/nodes.test.ts",
  "test/nodes/lost-leases.test.ts",
];
const PACKAGES =
  "pgbouncer libc6 libcares2 libevent-2.1-7t64 libpam0g libssl3t64 libsystemd0 libzstd1 libaudit1 libcap-ng0 libcap2 zlib1g";

const env = { ...process.env, BELAY_TEST_PGBOUNCER: findInstalled() ?? unpack() };
// One file at a time: leases are short, and all of them share the processors.
const vitest = ["exec", "--no", "--", "vitest", "run", "--maxWorkers=1", ...TESTS];
process.exit(spawnSync("npm", vitest, { env, stdio: "inherit" }).status ?? 1);

function findInstalled() {
  const { stdout } = spawnSync("pgbouncer", ["--version"], { encoding: "utf8" });
  const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(stdout ?? "") ?? [];
  return Number(major) * 100 + Number(minor) >= 121 ? "pgbouncer" : null;
}

/** The command of a PgBouncer that is not installed. Another user runs it, so it cannot be below a home folder. */
function unpack() {
  const folder = mkdtempSync(join(tmpdir(), "belay-pgbouncer-"));
  chmodSync(folder, 0o755);
  for (const name of ["lists/partial", "cache/archives/partial"]) {
    mkdirSync(join(folder, name), { recursive: true });
  }
  const keys = "/usr/share/keyrings/debian-archive-keyring.gpg";
  const line = `deb [signed-by=${keys}] ${findArchive()} trixie main\n`;
  writeFileSync(join(folder, "sources.list"), line);
  const options = [
    `Dir::Etc::sourcelist=${folder}/sources.list`,
    "Dir::Etc::sourceparts=/dev/null",
    `Dir::State::lists=${folder}/lists`,
    `Dir::Cache=${folder}/cache`,
  ].flatMap((option) => ["-o", option]);
  run("apt-get", [...options, "update"], folder);
  run("apt-get", [...options, "download", ...PACKAGES.split(" ")], folder);
  const root = join(folder, "root");
  for (const name of readdirSync(folder).filter((each) => each.endsWith(".deb"))) {
    run("dpkg-deb", ["-x", name, root], folder);
  }
  const libraries = join(root, "usr/lib", readdirSync(join(root, "usr/lib")).find(isTriplet) ?? "");
  const loader = readdirSync(libraries).find((name) => /^ld-linux.*\.so\.\d+$/.test(name)) ?? "";
  if (!existsSync(join(libraries, loader))) throw new Error("its libraries have no loader");
  return `${join(libraries, loader)} --library-path ${libraries} ${join(root, "usr/sbin/pgbouncer")}`;
}

/** The archive that this machine already uses. */
function findArchive() {
  const format = ["--format", "$(ORIGIN) $(RELEASE) $(REPO_URI)", "Created-By: Packages"];
  const { stdout } = spawnSync("apt-get", ["indextargets", ...format], { encoding: "utf8" });
  const uri = /^Debian bookworm (\S+)$/m.exec(stdout ?? "")?.[1];
  if (!uri) throw new Error("this machine has no Debian archive. Install PgBouncer 1.21 or newer");
  return uri;
}

function isTriplet(name) {
  return name.endsWith("-linux-gnu");
}

function run(command, args, cwd) {
  const done = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (done.status === 0) return;
  throw new Error(`${command} ${args.join(" ")} failed: ${done.stdout ?? ""}${done.stderr ?? ""}`);
}
