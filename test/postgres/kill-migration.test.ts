import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { composeMigration } from "../../src/compose-copy.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { expectAlive, expectSame, fillStore } from "../copy/copied-scene.ts";
import { startWorker } from "../crash/run-worker.ts";
import { sampleSize } from "../crash/sample-size.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";
import { openProxy } from "./postgres-proxy.ts";
import { createPostgres } from "./postgres-server.ts";
import { query } from "./scene-databases.ts";

const server = await createPostgres();
await server.start();
const proxy = await openProxy(server.port);
afterAll(async () => {
  await proxy.close();
  await server.remove();
});
const source = join(temporaryFolder(), "source");
const isAlive = () => true;
const openSource = () => openSqliteStore({ folder: source, isAlive, synchronous: "OFF" });

beforeAll(async () => {
  const store = await openSource();
  await fillStore(store);
  await store.close();
});

/** Migrates in a process that is killed at one of the server's answers, before it arrives. Returns the number of answers. */
async function migrate(to: string, killAt = Infinity) {
  const worker = await startWorker("migrating", [`sqlite:${source}`, to]);
  let answers = 0;
  proxy.cutAnswers(() => {
    answers += 1;
    if (answers === killAt) worker.kill("SIGKILL");
    return answers >= killAt;
  });
  const [code, signal] = await once(worker, "close");
  proxy.cutAnswers(() => false);
  if (signal !== "SIGKILL" && code !== 0) throw new Error(`it failed with ${code ?? signal}`);
  return { answers, isKilled: signal === "SIGKILL" };
}

it("a migration into PostgreSQL that is killed with SIGKILL is completed by a second run, hash by hash", async () => {
  for (const name of ["whole", "killed"]) {
    await query(server.urlOf("postgres"), `CREATE DATABASE ${name}`);
  }
  const through = (name: string) => server.urlOf(name).replace(`:${server.port}`, `:${proxy.port}`);
  const { answers } = await migrate(through("whole"));
  const points = sampleSize({ full: 40, sample: 4 });
  let killed = 0;
  // Every run continues where the one before it was killed, at another answer.
  for (let nth = 1; nth <= points; nth += 1) {
    const share = Math.floor(answers / points);
    killed += Number((await migrate(through("killed"), share + nth)).isKilled);
  }
  expect(killed).toBeGreaterThan(points / 2);
  const places = { from: `sqlite:${source}`, to: server.urlOf("killed") };
  const report = await composeMigration().run(places, () => {});
  expect(report).toMatchObject({ newer: 0, streams: 5 });
  expect(report.skipped).toBeGreaterThan(0);
  const copy = await openPostgresStore({ url: server.urlOf("killed"), isAlive });
  const original = await openSource();
  await expectSame(copy, original);
  await expectAlive(copy);
  await original.close();
  await copy.close();
});
