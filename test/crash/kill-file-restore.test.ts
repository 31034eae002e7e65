import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { trustWorkTree } from "../../src/drive/work-tree/trust-work-tree.ts";
import { openBelay } from "../../src/index.ts";
import { readTree, runGit, writeFiles } from "../service/work-tree-lab.ts";
import { atOnce } from "./at-once.ts";
import { bundleWorker } from "./bundle-worker.ts";
import { sampleSize } from "./sample-size.ts";
import { say } from "./say.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const THEN = {
  "same.txt": "the same\n",
  "changed.txt": "then\n",
  "removed/since.txt": "then\n",
  "removed/deep/since.sh": "#!/bin/sh\n",
  link: "->changed.txt",
  swapped: "a file then",
  ".gitattributes": "* text\r\n",
};
const NOW = {
  "same.txt": "the same\n",
  "changed.txt": "unsaved work\n",
  "new/and/deep.txt": "unsaved work\n",
  "new/other.txt": "unsaved work\n",
  link: "a file now",
  "swapped/inner.txt": "a folder now",
  ".gitattributes": "* text\r\n",
};
/** The calls that change a folder, or make a change durable, in the thread that restores. */
const CALLS = "rename,link,unlink,unlinkat,mkdir,rmdir,symlink,fsync,fdatasync";
const root = temporaryFolder();

describe("a restore of files that is killed", () => {
  it("leaves either all old or all new files, and the log agrees", async () => {
    const prepared = await prepare();
    const points = await findPoints(prepared);
    const some = spread(points, sampleSize({ full: points.length, sample: 12 }));
    const ends = await atOnce(2, some, (point) => killAt(prepared, point));
    const killed = ends.filter((end) => end.killed);
    const count = (state: string) => killed.filter((end) => end.state === state).length;
    say(
      `${killed.length} kills at ${points.length} calls: ${count("now")} undone, ${count("then")} finished`,
    );
    expect(ends.filter(({ problem }) => problem !== null)).toEqual([]);
    expect(killed.length).toBeGreaterThanOrEqual(some.length - 2);
    expect(count("now")).toBeGreaterThan(0);
    expect(count("then")).toBeGreaterThan(0);
    // Without the next start some of them would be neither.
    expect(killed.filter(({ torn }) => torn).length).toBeGreaterThan(0);
  });
});

async function prepare(): Promise<string> {
  const folder = join(root, "prepared");
  const tree = join(folder, "repo");
  mkdirSync(tree, { recursive: true });
  runGit(tree, "init", "-q");
  writeFiles(tree, THEN);
  const home = join(folder, "data");
  await using belay = await openBelay({ home });
  await belay.sessions.list();
  return folder;
}

interface Point {
  readonly call: string;
  readonly when: number;
}

/** A copy at a place of its own, with a checkpoint of its earlier files. */
async function copy(prepared: string, name: string) {
  const folder = join(root, name);
  cpSync(prepared, folder, { recursive: true, verbatimSymlinks: true });
  const [home, tree] = [join(folder, "data"), join(folder, "repo")];
  chmodSync(home, 0o700);
  trustWorkTree(home, tree);
  await using belay = await openBelay({ home });
  const { session_id } = await belay.sessions.create({
    agent_name: "a",
    project: { cwd: tree, repo: null, branch: null },
  });
  await belay.checkpoints.save({ id: session_id, name: "then" });
  runGit(tree, "clean", "-qfdx");
  writeFiles(tree, NOW);
  return { home, tree, id: session_id };
}

async function run(strace: readonly string[], { home, id }: { home: string; id: string }) {
  const worker = await bundleWorker("restoring-files");
  const env = { ...process.env, NODE_OPTIONS: "" };
  const args = [...strace, process.execPath, worker, home, id, "then"];
  return spawnSync("strace", ["-qq", ...args], { env, encoding: "utf8" });
}

async function findPoints(prepared: string): Promise<Point[]> {
  const place = await copy(prepared, "counted");
  const trace = join(root, "trace");
  const { stdout, stderr } = await run(["-o", trace, "-e", `trace=${CALLS}`], place);
  expect([stdout.slice(0, 15), stderr]).toEqual(["before-restore-", ""]);
  expect(readTree(place.tree)).toEqual(THEN);
  const lines = readFileSync(trace, "utf8")
    .split("\n")
    .filter((line) => /^\w+\(/.test(line));
  const start = lines.findIndex((line) => line.includes("restore.json"));
  const seen = new Map<string, number>();
  const points = lines.map((line): Point => {
    const call = /^\w+/.exec(line)?.[0] ?? "";
    seen.set(call, (seen.get(call) ?? 0) + 1);
    return { call, when: seen.get(call) ?? 0 };
  });
  return points.slice(start - 1);
}

async function killAt(prepared: string, { call, when }: Point) {
  const place = await copy(prepared, `${call}-${when}`);
  const inject = `inject=${call}:signal=KILL:when=${when}`;
  const { signal, status } = await run(
    ["-o", "/dev/null", "-e", `trace=${CALLS}`, "-e", inject],
    place,
  );
  const killed = signal === "SIGKILL" || status === 137;
  const left = stateOf(place.tree);
  await using belay = await openBelay({ home: place.home });
  const state = stateOf(place.tree);
  const { events } = await belay.sessions.log({ id: place.id });
  const isRecorded = events.some(({ type }) => type === "checkpoint.restored");
  const rest = readdirSync(join(place.tree, ".git")).filter((name) => name.includes("belay"));
  const problem =
    state === "neither" || isRecorded !== (state === "then") || rest.length > 0
      ? { call, when, state, isRecorded, rest, files: readTree(place.tree) }
      : null;
  return { killed, state, torn: left === "neither", problem };
}

function stateOf(tree: string): "then" | "now" | "neither" {
  const files = JSON.stringify(readTree(tree));
  if (files === JSON.stringify(sorted(THEN))) return "then";
  return files === JSON.stringify(sorted(NOW)) ? "now" : "neither";
}

function sorted(files: Record<string, string>) {
  return Object.fromEntries(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function spread<T>(all: readonly T[], count: number): T[] {
  const step = Math.max(1, all.length / count);
  return Array.from(
    { length: Math.min(count, all.length) },
    (_, n) => all[Math.floor(n * step)],
  ).filter((one) => one !== undefined);
}
