import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { createService } from "../../src/compose-service.ts";
import { openStore } from "../../src/compose-store.ts";
import { createMaintenance } from "../../src/service/maintenance.ts";
import { newId } from "../../src/service/new-id.ts";
import { Connection } from "../../src/store/sqlite/database/connection.ts";
import { KeptHead } from "../../src/store/sqlite/database/kept-head.ts";
import { findStreamRow, updateStreamRow } from "../../src/store/sqlite/database/stream-row.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";
import { withKey } from "../sealed/with-key.ts";
import { as } from "../service/on-memory.ts";

const ANN = as("ann", "cli");

it("verify notices a session whose newest events were removed, with and without the key", async () => {
  const home = temporaryFolder();
  await withKey(async () => {
    const open = async () => {
      const store = await openStore({ home, onNotice: () => {} });
      return { store, service: createService({ store, now: Date.now, newId }) };
    };
    const { store, service } = await open();
    const { entity_id } = await service.call(
      "create",
      { agent_name: "a", session_id: "cut-session" },
      ANN,
    );
    for (let n = 0; n < 50; n += 1) {
      await service.call(
        "record_turn",
        { id: "cut-session", input: `turn ${n}`, output: "ok" },
        ANN,
      );
    }
    await store.close();
    cut(home, entity_id);
    const again = await open();
    // Nothing that is shown has changed, so only the anchor can tell that something is missing.
    const { turns } = await again.service.call("turns", { id: "cut-session", limit: 100 }, ANN);
    expect(turns.length).toBeLessThan(50);
    for (const without_key of [false, true]) {
      const { ok } = await createMaintenance(again.store).verify(undefined, { without_key });
      expect(ok).toBe(false);
    }
    await again.store.close();
  });
});

/** Removes the newest events, in the way of someone who can write to the database, but has no key. */
function cut(home: string, id: string): void {
  const db = new Connection(() => new DatabaseSync(join(home, "belay.db")));
  const row = findStreamRow(db, { id });
  if (!row) throw new Error("it was written");
  const [seq, bytes] =
    db.getValues("SELECT seq, bytes FROM heads WHERE sid = ? ORDER BY seq DESC LIMIT 1", row.sid) ??
    [];
  const [hash] =
    db.getValues(
      "SELECT lower(hex(hash)) FROM events WHERE sid = ? AND seq = ?",
      row.sid,
      Number(seq),
    ) ?? [];
  if (!(bytes instanceof Uint8Array)) throw new Error("heads are stored every 32 events");
  db.run("DELETE FROM events WHERE sid = ? AND seq > ?", row.sid, Number(seq));
  db.run("DELETE FROM rows WHERE sid = ? AND seq > ?", row.sid, Number(seq));
  const head = KeptHead.stored(bytes, id);
  const opened = new Map([...row.opened.keys()].map((kind) => [kind, Number(seq)]));
  updateStreamRow(db, { ...row, seq: Number(seq), hash: String(hash), head, opened }, row.listing);
  db.close();
}
