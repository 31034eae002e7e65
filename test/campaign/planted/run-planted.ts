import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { PLANTED_FAULTS, type PlantedFault } from "./planted-faults.ts";

/**
 * `npm run test:planted [-- TEXT]`: plants each fault, or those with TEXT in their name, in a copy of the sources, and runs
 * the tests that must find it. Fails if they stay green, or do not end.
 */
const PATIENCE_MS = 300_000;

const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));
const [, , only = ""] = process.argv;
const copy = mkdtempSync(join(tmpdir(), "belay-planted-"));
process.once("SIGINT", () => process.exit(130));
process.once("exit", () => rmSync(copy, { recursive: true, force: true }));

const files = git("ls-files", "-co", "--exclude-standard").split("\n").filter(Boolean);
for (const file of files) cpSync(join(root, file), join(copy, file));
for (const folder of ["node_modules", "dist"]) symlinkSync(join(root, folder), join(copy, folder));
const sources = files.filter((file) => /^src\/.*\.ts$/.test(file));

let missed = 0;
for (const fault of PLANTED_FAULTS.filter(({ name }) => name.includes(only))) {
  const problem = find(fault);
  if (problem !== null) missed += 1;
  process.stdout.write(`${problem === null ? "found " : `MISSED (${problem})`} ${fault.name}\n`);
}
process.exit(missed === 0 ? 0 : 1);

/** Null if the tests find it. */
function find({ find, put, tests }: PlantedFault): string | null {
  const places = sources.filter((file) => readFileSync(join(copy, file), "utf8").includes(find));
  const [file] = places;
  if (file === undefined || places.length > 1) return `its place occurs ${places.length} times`;
  const path = join(copy, file);
  const before = readFileSync(path, "utf8");
  writeFileSync(
    path,
    before.replace(find, () => put),
  );
  const { status, signal } = spawnSync("npx", ["vitest", "run", "--bail=1", ...tests], {
    cwd: copy,
    stdio: "ignore",
    timeout: PATIENCE_MS,
    killSignal: "SIGKILL",
  });
  writeFileSync(path, before);
  if (signal) return "the tests do not end";
  return status === 0 ? "the tests stay green" : null;
}

function git(...args: string[]): string {
  return spawnSync("git", args, { cwd: root, encoding: "utf8" }).stdout;
}
