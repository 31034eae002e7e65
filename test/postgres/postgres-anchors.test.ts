import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { begin, countTo, idOf, keep, write } from "../../src/store/conformance/notebook.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import { createPostgres } from "./postgres-server.ts";
import { query } from "./scene-databases.ts";

type Store = Awaited<ReturnType<typeof openPostgresStore>>;

const server = await createPostgres();
await server.start();
const root = mkdtempSync(join(tmpdir(), "belay-anchors-"));
afterAll(async () => {
  rmSync(root, { recursive: true });
  await server.remove();
});

const open = new Set<Store>();
afterEach(async () => {
  for (const store of open) await store.close();
  open.clear();
});

let databases = 0;
async function createDatabase(): Promise<string> {
  databases += 1;
  await query(server.urlOf("postgres"), `CREATE DATABASE anchors_${databases}`);
  return server.urlOf(`anchors_${databases}`);
}

/** A process with its own data folder, which is a node if it has an id. */
async function openNode(url: string, folder: string, id?: string): Promise<Store> {
  const store = await openPostgresStore({ url, folder: join(root, folder), isAlive: () => true });
  open.add(store);
  const holder = { name: "server", pid: databases, start_time: null, boot_id: null };
  const ignore = () => {};
  const listener = { onGone: ignore, onLost: ignore, onReplaced: ignore, onCalled: ignore };
  const node = { name: folder, holder, place: folder };
  if (id) await store.nodes?.join({ id, ...node }, { room: () => 1, ...listener });
  return store;
}

async function inspect(store: Store, ...files: string[]) {
  const found = [];
  for await (const finding of store.inspectAnchors?.(files) ?? []) found.push(finding);
  return found;
}

function anchorOf(folder: string): string {
  const [name = ""] = readdirSync(join(root, folder)).filter((each) =>
    /^postgres-anchor/.test(each),
  );
  return join(root, folder, name);
}

/** As if the database had been restored from a backup that was made before the last event of the stream. */
async function loseLast(url: string, id: string): Promise<void> {
  await query(
    url,
    `WITH lost AS (SELECT sid, seq FROM belay.streams WHERE id = '${id}'),
      gone AS (DELETE FROM belay.events e USING lost l WHERE e.sid = l.sid AND e.seq = l.seq)
    UPDATE belay.streams s SET seq = l.seq - 1,
      hash = (SELECT e.hash FROM belay.events e WHERE e.sid = l.sid AND e.seq = l.seq - 1)
    FROM lost l WHERE s.sid = l.sid`,
  );
}

const [A, B] = [idOf(1), idOf(2)];

describe("the anchor of a node on PostgreSQL", () => {
  it("confirms what was acknowledged, and shows what a restored backup has lost", async () => {
    const url = await createDatabase();
    const store = await openNode(url, "lost");
    await keep(store, begin(A, { lines: ["1"] }));
    for (const n of countTo(3)) await keep(store, write(A, { lines: [`${n}`] }));
    await keep(store, begin(B, { lines: ["1"] }));
    expect(await inspect(store)).toEqual([]);

    await loseLast(url, A);
    const tables = [];
    for await (const finding of store.inspect()) tables.push(finding);
    expect(tables).toEqual([]);
    const [finding, ...others] = await inspect(store);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ kind: "damage", stream: A, lost_tail: true });
    expect(finding?.what).toContain("was acknowledged and is missing");
  });

  it("shows that a lost event was replaced by another one", async () => {
    const url = await createDatabase();
    const store = await openNode(url, "replaced");
    await keep(store, begin(A, { lines: ["1"] }));
    await keep(store, write(A, { lines: ["2"] }));
    await loseLast(url, A);
    const later = await openNode(url, "replacing");
    await keep(later, write(A, { lines: ["another"] }));
    const [finding] = await inspect(store);
    expect(finding?.what).toContain("is not the one that was acknowledged");
  });

  it("is restarted if a person accepts the loss", async () => {
    const url = await createDatabase();
    const store = await openNode(url, "accepted");
    await keep(store, begin(A, { lines: ["1"] }));
    await keep(store, write(A, { lines: ["2"] }));
    await loseLast(url, A);
    expect(await inspect(store)).toHaveLength(1);
    expect(await store.reanchor()).toBe(0);
    expect(await inspect(store)).toHaveLength(1);
    expect(await store.reanchor({ isRestart: true })).toBe(1);
    expect(await inspect(store)).toEqual([]);
  });

  it.each([0, 40])(
    "is compared as far as it goes if a power cut left %d zeros of it",
    async (zeros) => {
      const store = await openNode(await createDatabase(), `cut-${zeros}`);
      await keep(store, begin(A, { lines: ["1"] }));
      writeFileSync(anchorOf(`cut-${zeros}`), Buffer.alloc(zeros));
      expect(await inspect(store)).toEqual([]);
    },
  );

  it("accepts streams that were purged as they were acknowledged, and no others", async () => {
    const url = await createDatabase();
    const store = await openNode(url, "purged");
    for (const id of [A, B]) {
      await keep(store, begin(id, { lines: ["1"] }));
      await keep(store, write(id, { lines: ["2"] }));
      await store.purge(id, 1);
    }
    expect(await inspect(store)).toEqual([]);
    await query(url, `DELETE FROM belay.tombstones WHERE id = '${B}'`);
    expect(await inspect(store)).toMatchObject([{ stream: B }]);
  });

  it("contains only its own writes: other nodes are named until their anchors are compared too", async () => {
    const url = await createDatabase();
    const [first, second] = [idOf(8), idOf(9)];
    const a = await openNode(url, "a", first);
    const b = await openNode(url, "b", second);
    await keep(a, begin(A, { lines: ["1"] }));
    await keep(b, write(A, { lines: ["2"] }));
    expect(await inspect(a)).toMatchObject([{ kind: "unchecked" }]);
    expect((await inspect(a))[0]?.what).toContain(`node b (${second})`);
    expect(await inspect(a, anchorOf("b"))).toEqual([]);
    await loseLast(url, A);
    expect(await inspect(a)).toMatchObject([{ kind: "unchecked" }]);
    expect(await inspect(a, anchorOf("b"))).toMatchObject([{ kind: "damage", stream: A }]);
  });

  it("does not fail a commit if it cannot be written", async () => {
    writeFileSync(join(root, "a file"), "");
    const store = await openNode(await createDatabase(), "a file/folder");
    expect(await keep(store, begin(A, { lines: ["1"] }))).toMatchObject({ id: A, seq: 1 });
  });

  it("belongs to one database; other files are refused", async () => {
    const [url, other] = [await createDatabase(), await createDatabase()];
    await keep(await openNode(other, "other"), begin(A, { lines: ["1"] }));
    const store = await openNode(url, "other");
    await keep(store, begin(B, { lines: ["1"] }));
    expect(await inspect(store)).toEqual([]);
    const foreign = readdirSync(join(root, "other")).map((name) => join(root, "other", name));
    expect(foreign).toHaveLength(2);
    const results = await Promise.allSettled(foreign.map((file) => inspect(store, file)));
    expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const text = join(root, "text.log");
    writeFileSync(text, "\nsome text");
    for (const file of [text, join(root, "none.log")]) {
      await expect(inspect(store, file)).rejects.toMatchObject({ code: "invalid_input" });
    }
  });
});
