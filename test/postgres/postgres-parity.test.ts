import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { composeMigration } from "../../src/compose-copy.ts";
import { openBelay } from "../../src/index.ts";
import { isAlive } from "../../src/process/process-identity.ts";
import { createMaintenance } from "../../src/service/maintenance.ts";
import { copyStore } from "../../src/store/copy/copy-store.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { expectAlive, expectSame, fillStore } from "../copy/copied-scene.ts";
import { answersOf, type Played, play } from "../parity/scenario.ts";
import { openServiceDoor } from "../parity/service-door.ts";
import { WHOLE_LIFE } from "../parity/whole-life.ts";
import { PATIENCE_MS } from "../patience.ts";
import { endAll, newPlace, type RealServer, runBelay, serve } from "../serve/server-process.ts";
import { createPostgres } from "./postgres-server.ts";
import { query } from "./scene-databases.ts";

const server = await createPostgres();
await server.start();
for (const name of ["life", "served", "copied", "restored"]) {
  await query(server.urlOf("postgres"), `CREATE DATABASE ${name}`);
}
const places = [newPlace(), newPlace(), newPlace()] as const;

afterAll(async () => {
  await endAll();
  for (const place of places) place.remove();
  await server.remove();
});

describe("a whole life on PostgreSQL", () => {
  let [onSqlite, onPostgres]: (Played | undefined)[] = [];
  const store = openPostgresStore({ url: server.urlOf("life"), isAlive });
  afterAll(async () => (await store).close());

  beforeAll(async () => {
    const [here, there] = places;
    const sqlite = await openServiceDoor(here.home);
    onSqlite = await play(WHOLE_LIFE, sqlite, sqlite, here.root);
    await sqlite.close();
    const { close, ...open } = await store;
    const postgres = await openServiceDoor(there.home, { ...open, close: async () => {} });
    onPostgres = await play(WHOLE_LIFE, postgres, postgres, there.root);
    await postgres.close();
  });

  it("has the same answers and logs as on SQLite", () => {
    if (!onSqlite || !onPostgres) throw new Error("nothing was played");
    expect(answersOf(onPostgres)).toEqual(answersOf(onSqlite));
    expect(onPostgres.logs).toEqual(onSqlite.logs);
  });

  it("is backed up into a data folder, which restores into any store", async () => {
    const [, there] = places;
    vi.stubEnv("BELAY_DATABASE_URL", server.urlOf("life"));
    const backup = join(there.root, "backup");
    const belay = await openBelay({ home: there.home });
    await belay.maintenance.backup(backup);
    await expect(belay.maintenance.backup(backup)).rejects.toMatchObject({ code: "invalid_input" });
    const facts = await belay.maintenance.describe();
    expect(facts.map(({ name }) => name)).toContain("PostgreSQL");
    await belay.close();
    vi.unstubAllEnvs();

    const copied = await openBelay({ home: backup });
    expect(await copied.maintenance.verify()).toMatchObject({ ok: true, findings: [] });
    await copied.close();
    const restored = server.urlOf("restored");
    const way = { from: `sqlite:${backup}`, to: restored };
    const report = await composeMigration().run(way, () => {});
    expect(report).toMatchObject({ skipped: 0, newer: 0, encrypted: false });
    const again = await composeMigration().run(
      { from: server.urlOf("life"), to: restored },
      () => {},
    );
    expect(again).toMatchObject({ skipped: report.events, events: report.events });
  });

  it("verifies, and altered data is found", async () => {
    const maintenance = createMaintenance(await store);
    expect(await maintenance.verify()).toEqual({ ok: true, findings: [], settled: 0 });
    const facts = await maintenance.describe();
    expect(facts.find(({ name }) => name === "PostgreSQL")?.value).toMatch(/^18\.\d+ at 127/);
    expect(facts.filter(({ ok }) => !ok).map(({ name }) => name)).toEqual(["durability"]);
    const url = server.urlOf("life");
    await query(url, "UPDATE belay.events SET body = '{}' WHERE seq = 2 AND body <> '{}'");
    expect(await maintenance.verify()).toMatchObject({ ok: false });
  });
});

describe("a store that is copied to PostgreSQL and back", () => {
  it("has the same hashes", async () => {
    const [here] = places;
    const open = (name: string) =>
      openSqliteStore({ folder: join(here.root, name), isAlive, synchronous: "OFF" });
    const [original, back] = [await open("original"), await open("back")];
    await fillStore(original);
    const copy = await openPostgresStore({ url: server.urlOf("copied"), isAlive });
    await copyStore(await original.openSource(), copy);
    await expectSame(copy, original);
    const source = await copy.openSource();
    await copyStore(source, back);
    await source.close();
    await expectSame(back, original);
    await expectAlive(copy);
    await expectAlive(back);
    for (const store of [original, back, copy]) await store.close();
  });
});

describe("belay serve on PostgreSQL", () => {
  const [, , place] = places;
  const env = { BELAY_DATABASE_URL: server.urlOf("served") };
  let served: RealServer;
  beforeAll(async () => {
    served = await serve(place, { env });
  });
  afterAll(() => vi.unstubAllEnvs());

  it("shares sessions with the command line and the library, and runs agents", async () => {
    const created = { agent_name: "demo", session_id: "shared" };
    expect(await served.ask("POST", "/sessions", { body: created })).toMatchObject({ status: 201 });
    const body = { message: "/say hello" };
    const sent = await served.ask("POST", "/sessions/shared/messages", { body });
    expect(sent.status).toBeLessThan(300);
    vi.stubEnv("BELAY_DATABASE_URL", env.BELAY_DATABASE_URL);
    const belay = await openBelay({ home: place.home });
    await vi.waitFor(
      async () => {
        const { events } = await belay.sessions.log({ id: "shared" });
        expect(events.map(({ type }) => type)).toContain("turn.ended");
      },
      { timeout: PATIENCE_MS, interval: 50 },
    );
    await belay.close();
    const listed = await runBelay(place, ["list", "--json"], env);
    expect(listed.stdout).toContain("shared");
    const verified = await runBelay(place, ["verify", "--json"], env);
    expect(verified).toMatchObject({ code: 0, json: { ok: true } });
  });
});
