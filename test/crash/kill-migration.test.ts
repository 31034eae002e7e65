import { createHash } from "node:crypto";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { composeMigration } from "../../src/compose-copy.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { openFiles } from "../conformance/open-files.ts";
import { expectAlive, expectSame, fillStore } from "../copy/copied-scene.ts";
import { traceWorker } from "./run-worker.ts";
import { sampleSize } from "./sample-size.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const root = temporaryFolder();
const source = join(root, "source");
const compared = join(root, "compared");
const isAlive = () => true;
const openSqlite = (folder: string) => openSqliteStore({ folder, isAlive, synchronous: "OFF" });

beforeAll(async () => {
  const store = await openSqlite(source);
  await fillStore(store);
  await store.close();
  // Comparing two stores leaves a mark in both.
  cpSync(source, compared, { recursive: true });
});

describe("a migration that is killed with SIGKILL", () => {
  it("is completed by a second run, and leaves the source unchanged", async () => {
    const before = digestOf(join(source, "belay.db"));
    for (const kind of ["files", "sqlite"] as const) {
      const points = sampleSize({ full: 40, sample: 4 });
      const calls = await countCalls(`${kind}:${join(root, `whole-${kind}`)}`);
      let killed = 0;
      const folder = join(root, `killed-${kind}`);
      // Every run continues where the one before it was killed, and is killed later, so that the last ones get further.
      for (let n = 1; n <= points; n += 1) {
        const when = Math.ceil((n * calls) / (points + 1));
        killed += Number(await killAt(`${kind}:${folder}`, when));
      }
      expect(killed).toBeGreaterThan(0);
      const places = { from: `sqlite:${source}`, to: `${kind}:${folder}` };
      const report = await composeMigration().run(places, () => {});
      expect(report).toMatchObject({ newer: 0, streams: 5 });
      expect(report.skipped).toBeGreaterThan(0);
      const [copy, original] = [
        await (kind === "files" ? openFiles({ folder, isAlive }) : openSqlite(folder)),
        await openSqlite(compared),
      ];
      await expectSame(copy, original);
      await expectAlive(copy);
      await original.close();
      await copy.close();
    }
    expect(digestOf(join(source, "belay.db"))).toBe(before);
  });
});

async function countCalls(to: string): Promise<number> {
  const trace = join(root, "trace");
  await traceWorker(["-o", trace, "-e", "trace=pwrite64"], "migrating", [`sqlite:${source}`, to]);
  return readFileSync(trace, "utf8").split("pwrite64(").length - 1;
}

async function killAt(to: string, when: number): Promise<boolean> {
  const inject = ["-e", "trace=pwrite64", "-e", `inject=pwrite64:signal=SIGKILL:when=${when}`];
  const args = [`sqlite:${source}`, to];
  const end = await traceWorker(["-o", "/dev/null", ...inject], "migrating", args);
  if (end.signal !== "SIGKILL" && end.code !== 0) throw new Error(`it failed: ${end.stderr}`);
  return end.signal === "SIGKILL";
}

function digestOf(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}
