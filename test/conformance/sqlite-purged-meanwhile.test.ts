import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { begin, idOf, keep } from "../../src/store/conformance/notebook.ts";
import { Connection } from "../../src/store/sqlite/database/connection.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { KnownStreams } from "../../src/store/sqlite/read/known-streams.ts";

const PURGED = idOf(1);
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "belay-purged-meanwhile-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

it.each([
  ["its id", { id: PURGED }],
  ["its key", { kind: "session", owner: "ann", key: "book 1" }],
] as const)(
  "a stream that another process purges while it is read by %s is not found",
  async (_, ref) => {
    const store = await openSqliteStore({ folder, isAlive: () => true });
    await keep(store, begin(PURGED, { key: "book 1" }));
    await keep(store, begin(idOf(2), { base: { id: PURGED, seq: 1 } }));
    const other = new DatabaseSync(join(folder, "belay.db"));
    other.exec("CREATE TEMP TABLE before AS SELECT * FROM streams WHERE sid = 1");
    await store.purge(PURGED, 1);
    await store.close();
    other.exec("CREATE TEMP TABLE after AS SELECT * FROM streams WHERE sid = 1");
    const write = (row: "before" | "after") =>
      other.exec(`REPLACE INTO streams SELECT * FROM temp.${row}`);
    write("before");

    const db = new InterruptedConnection(
      () => new DatabaseSync(join(folder, "belay.db")),
      () => write("after"),
    );
    expect(new KnownStreams(db).find(ref)).toBeUndefined();
    expect(db.reads).toBe(2);
    db.close();
    other.close();
  },
);

/** Lets another process write after the first read. */
class InterruptedConnection extends Connection {
  readonly #interrupt: () => void;
  reads = 0;

  constructor(open: () => DatabaseSync, interrupt: () => void) {
    super(open);
    this.#interrupt = interrupt;
  }

  override getValues(...read: Parameters<Connection["getValues"]>) {
    const values = super.getValues(...read);
    this.reads += 1;
    if (this.reads === 1) this.#interrupt();
    return values;
  }
}
