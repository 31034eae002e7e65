import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { idOf, keep, textsOf, write } from "../../src/store/conformance/notebook.ts";
import { readEverything } from "../../src/store/conformance/read-everything.ts";
import { type FilesStore, openFilesStore } from "../../src/store/files/open-files-store.ts";
import { loadStream, readEvents } from "../../src/store/read-streams.ts";
import { atOnce } from "./at-once.ts";
import { traceWorker } from "./run-worker.ts";
import { sampleSize } from "./sample-size.ts";
import { say } from "./say.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const WORKER = "writing-files";
const CALLS = ["pwrite64", "fsync", "ftruncate", "rename", "mkdir", "link", "unlink"] as const;
const [A, B, C, D] = [idOf(1), idOf(2), idOf(3), idOf(4)];
const root = temporaryFolder();

describe("a process that writes to files and is killed with SIGKILL", () => {
  it("leaves all of each transaction or nothing, at whichever call it dies", async () => {
    const points = sample(await listPoints(), sampleSize({ full: 1000, sample: 16 }));
    const deaths = await atOnce(2, points, (point) => killAt(point));
    const killed = deaths.filter(({ isKilled }) => isKilled).length;
    const acknowledged = deaths.reduce((sum, death) => sum + death.said.length, 0);
    say(
      `${killed} real SIGKILLs at calls of a store in files: ${acknowledged} acknowledged, 0 lost`,
    );
    expect(killed).toBeGreaterThanOrEqual(Math.floor(points.length * 0.8));
    expect(acknowledged).toBeGreaterThan(0);
    for (const [n, { problems }] of deaths.entries()) {
      expect({ ...points[n], problems }).toEqual({ ...points[n], problems: [] });
    }
  });

  it("control: a writer that acknowledges too early is seen to lose events", async () => {
    const points = (await listPoints()).filter(({ call }) => call === "fsync");
    const deaths = await atOnce(2, sample(points, 3), (point) => killAt(point, "hasty"));
    expect(deaths.flatMap(({ problems }) => problems).length).toBeGreaterThan(0);
  });
});

interface Point {
  readonly call: (typeof CALLS)[number];
  readonly when: number;
}

/** Every call of an undisturbed run that changes something in the folder. */
async function listPoints(): Promise<Point[]> {
  const { home, said } = newPlace();
  const trace = join(home, "..", "trace");
  await traceWorker(["-y", "-o", trace, "-e", `trace=${CALLS.join()}`], WORKER, [home, said]);
  const counts = new Map<string, number>();
  const points: Point[] = [];
  for (const line of readFileSync(trace, "utf8").split("\n")) {
    const call = CALLS.find((name) => line.includes(` ${name}(`));
    if (!call) continue;
    const when = (counts.get(call) ?? 0) + 1;
    counts.set(call, when);
    if (line.includes(home)) points.push({ call, when });
  }
  if (points.length < 50) throw new Error(`only ${points.length} calls were seen`);
  return points;
}

function sample(points: readonly Point[], count: number): Point[] {
  const most = Math.min(count, points.length);
  return Array.from(
    { length: most },
    (_, n) => points[Math.floor((n * points.length) / most)],
  ).filter((point) => point !== undefined);
}

async function killAt({ call, when }: Point, mode = "") {
  const { home, said } = newPlace();
  const inject = ["-e", `trace=${call}`, "-e", `inject=${call}:signal=SIGKILL:when=${when}`];
  const end = await traceWorker(["-o", "/dev/null", ...inject], WORKER, [home, said, mode]);
  if (end.signal !== "SIGKILL" && end.code !== 0) throw new Error(`it failed: ${end.stderr}`);
  const acknowledged = existsSync(said) ? readFileSync(said, "utf8").split("\n").slice(0, -1) : [];
  const problems: string[] = [];
  for await (const problem of findProblems(home, acknowledged)) problems.push(problem);
  rmSync(join(home, ".."), { recursive: true });
  return { isKilled: end.signal === "SIGKILL", said: acknowledged, problems };
}

async function* findProblems(folder: string, said: readonly string[]): AsyncGenerator<string> {
  const open = () => openFilesStore({ folder, isAlive: () => true });
  const store = await open();
  const before = await readEverything(store);
  for await (const { kind, what } of store.inspect())
    if (kind === "damage") yield `damage: ${what}`;
  const [a, b] = [await textsIn(store, A), await textsIn(store, B)];
  if (a.join() !== b.join()) yield `half of a transaction: ${a.join()} and ${b.join()}`;
  const pairs = said.filter((what) => what.startsWith("pair")).length;
  if (a.length < pairs) yield `${pairs} pairs were acknowledged and ${a.length} are there`;
  const fork = await textsIn(store, C);
  if (fork.length === 0 ? said.includes("fork") : fork[2] !== "of a fork") yield "the fork is lost";
  const { lease } = (await loadStream(store, { id: A })) ?? {};
  if (said.includes("lease") && lease?.epoch !== 1) yield "the lease is lost";
  if (said.includes("blob") && (await blobOf(store)) !== "the bytes of a file") yield "no blob";
  if (said.includes("purge") && (await loadStream(store, { id: D }))) yield "the purge is lost";
  if (a.length > 0) await keep(store, write(A, { lines: ["after the kill"] }));
  const folders = a.length > 0 ? readdirSync(join(folder, "streams", "session")) : [];
  if (said.includes("purge") && folders.includes(D)) yield "files of a purged stream are left";
  await store.close();
  const again = await open();
  const after = await readEverything(again);
  await again.close();
  if (a.length === 0 && JSON.stringify(after) !== JSON.stringify(before))
    yield "it changed by itself";
  if (a.length > 0 && after.feed.length !== before.feed.length + 1) yield "the feed changed";
}

async function textsIn(store: FilesStore, id: string): Promise<unknown[]> {
  return textsOf(await readEvents(store, id, { after: 0, limit: 99 }));
}

async function blobOf(store: FilesStore): Promise<string> {
  let text = "";
  const digest = createHash("sha256").update("the bytes of a file").digest("hex");
  const blob = await store.blobs?.get(A, digest);
  for await (const chunk of blob?.bytes() ?? []) text += Buffer.from(chunk).toString("utf8");
  return text;
}

let places = 0;

function newPlace() {
  places += 1;
  const folder = join(root, `run-${places}`);
  mkdirSync(folder);
  return { home: join(folder, "home"), said: join(folder, "said") };
}
