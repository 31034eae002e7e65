import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PATIENCE_MS } from "../patience.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const MAX_MEGABYTES = 60;
/** The machine's own Node, if it is an older one; null skips the tests that need one. */
const OLD_NODE = ["/usr/bin/node", "/usr/local/bin/node"].find(isOld) ?? null;

let project: string;
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), "belay-consumer-"));
  const [packed] = JSON.parse(
    run(root, "npm", "pack", "--ignore-scripts", "--json", "--pack-destination", project),
  );
  write("package.json", JSON.stringify({ name: "consumer", type: "module", private: true }));
  run(project, "npm", "install", "--offline", "--no-audit", "--no-fund", `./${packed.filename}`);
  // The packages that a consumer would have.
  for (const name of ["typescript", "@types/node", "undici-types", "vitest"]) {
    const place = join(project, "node_modules", name);
    mkdirSync(join(place, ".."), { recursive: true });
    if (!existsSync(place)) symlinkSync(join(root, "node_modules", name), place);
  }
});
afterAll(() => rmSync(project, { recursive: true }));

describe("the package in an empty project", () => {
  it(`installs at most ${MAX_MEGABYTES} MB, and no other programs`, () => {
    const installed = join(project, "node_modules", "belay-sessions");
    expect(bytesOf(installed) / 2 ** 20).toBeLessThan(MAX_MEGABYTES);
    expect(readdirSync(join(project, "node_modules", ".bin"))).toEqual(["belay"]);
    expect(run(project, join(project, "node_modules/.bin/belay"), "--version")).toMatch(/^\d/);
  });

  it("contains the licence of every bundled package", () => {
    for (const bundle of ["node", "web"]) {
      const file = join(project, "node_modules/belay-sessions/dist", bundle, "LICENSES.md");
      const parts = readFileSync(file, "utf8").split(/^## /m).slice(1);
      expect(parts.length).toBeGreaterThan(5);
      for (const part of parts) expect(part).toMatch(/licen[cs]e|permission|redistribution/i);
    }
  });

  it("has types that need no other package, and a library that works", () => {
    write("program.ts", PROGRAM);
    write("tsconfig.json", JSON.stringify({ compilerOptions: STRICT, files: ["program.ts"] }));
    run(project, join(root, "node_modules/.bin/tsc"), "-p", project);
    expect(run(project, process.execPath, "program.ts")).toBe("reviewer idle 1\n");
  });

  it.skipIf(OLD_NODE === null)("works on an older Node with a store that needs no SQLite", () => {
    write("old.mjs", PROGRAM.replaceAll(/, type \w+|: (?:StreamStore|Session\w*|unknown)\b/g, ""));
    expect(run(project, OLD_NODE ?? "", "old.mjs")).toBe("reviewer idle 1\n");
  });

  it("makes the compiler reject a wrong call", () => {
    write("wrong.ts", WRONG);
    write("tsconfig.wrong.json", JSON.stringify({ compilerOptions: STRICT, files: ["wrong.ts"] }));
    const wrong = () =>
      run(project, join(root, "node_modules/.bin/tsc"), "-p", join(project, "tsconfig.wrong.json"));
    expect(wrong).toThrow(/agent_nam/);
  });

  it("lets a store that uses only the package pass the suite, and finds a fault in it", () => {
    copyFileSync(new URL("small-store.ts", import.meta.url), join(project, "small-store.ts"));
    write("store.test.ts", storeTest("store"));
    write("faulty.test.ts", storeTest('faults["finds streams by name, newest first"](store)'));
    const files = ["small-store.ts", "store.test.ts"];
    const compilerOptions = { ...STRICT, allowImportingTsExtensions: true };
    write("tsconfig.store.json", JSON.stringify({ compilerOptions, files }));
    run(project, join(root, "node_modules/.bin/tsc"), "-p", join(project, "tsconfig.store.json"));
    const program = join(root, "node_modules/vitest/vitest.mjs");
    const vitest = (file: string) =>
      run(project, process.execPath, program, "run", "--testTimeout", `${PATIENCE_MS}`, file);
    expect(vitest("store.test.ts")).toMatch(/Tests +\d{3} passed \| \d+ skipped/);
    expect(() => vitest("faulty.test.ts")).toThrow(/find the streams that recorded them, oldest/);
  });
});

const STRICT = {
  ...{ strict: true, noEmit: true, exactOptionalPropertyTypes: true, skipLibCheck: false },
  ...{
    module: "nodenext",
    target: "es2024",
    lib: ["es2024", "esnext.disposable"],
    types: ["node"],
  },
  ...{ erasableSyntaxOnly: true, verbatimModuleSyntax: true },
};

const PROGRAM = `
import { BelayError, openBelay, type Session, type SessionCreateInput } from "belay-sessions";
import { openMemoryStore, type StreamStore } from "belay-sessions/store";

const store: StreamStore = openMemoryStore();
const belay = await openBelay({ store, owner: "me" });
const input: SessionCreateInput = { agent_name: "reviewer" };
const session: Session = await belay.sessions.create(input);
await belay.turns.record({ id: session.session_id, input: "Review it.", output: "Done." });
const { turns } = await belay.turns.list({ id: session.session_id });
const { activity } = await belay.sessions.get({ id: session.session_id });
const missing = await belay.sessions.get({ id: "nothing-here" }).catch((error: unknown) => error);
if (!(missing instanceof BelayError) || missing.code !== "session_not_found") throw missing;
console.log(session.agent_name, activity, turns.length);
await belay.close();
`;

const WRONG = `
import { openBelay } from "belay-sessions";
const belay = await openBelay();
await belay.sessions.create({ agent_nam: "typo" });
`;

function storeTest(store: string): string {
  return `
import { faults, runConformance } from "belay-sessions/conformance";
import { openSmallStore, SmallDisk } from "./small-store.ts";
const disks = new Map<string, SmallDisk>();
const skip = [{ reason: "it keeps no blobs", tests: ["blobs"] }];
runConformance("mine", ({ folder, isAlive, listing, now = () => performance.now() }) => {
  const disk = disks.get(folder) ?? new SmallDisk();
  disks.set(folder, disk);
  const store = openSmallStore(disk, { isAlive, now }, listing);
  return ${store};
}, { skip });
void faults;
`;
}

function isOld(node: string): boolean {
  if (!existsSync(node)) return false;
  const version = execFileSync(node, ["--version"], { encoding: "utf8" });
  return Number(/\d+/.exec(version)?.[0]) < 24;
}

function write(name: string, text: string): void {
  writeFileSync(join(project, name), text);
}

/** Throws with the whole output of the program. */
function run(cwd: string, command: string, ...args: string[]): string {
  try {
    return execFileSync(command, args, {
      cwd,
      encoding: "utf8",
      env: { ...process.env, BELAY_HOME: join(project, "home"), NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "pipe"],
    });
  } catch (error) {
    const said = error instanceof Error && "stdout" in error ? `${error.stdout}` : "";
    throw new Error(`${error}\n${said}`, { cause: error });
  }
}

function bytesOf(path: string): number {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path).reduce((sum, name) => sum + bytesOf(join(path, name)), 0);
}
