import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, describe, expect, it } from "vitest";
import { loadHeadBefore } from "../../src/store/read-streams.ts";
import { readWholeFeed } from "./ask-everything.ts";
import { freshCopy } from "./damage-trial.ts";
import { openService } from "./open-service.ts";
import { type PreparedData, prepareData } from "./prepared-data.ts";
import { runBelay } from "./run-worker.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Bits that random flips hit once in a thousand: they change where things are found, not their content. */
const root = temporaryFolder();
let data: PreparedData;

beforeAll(async () => {
  data = await prepareData(root);
});

describe("a flipped bit that changes an order", () => {
  it("and moves index rows to another session does not shorten the transcript", async () => {
    const home = damage("hidden-rows", (database) => {
      // "e" and "d" differ by one bit.
      database.exec(
        "UPDATE rows SET kind = 'phasd' WHERE kind = 'phase' AND nth = 0 AND place < 8",
      );
    });
    const service = await openService(home);
    const told = await service.call("get", { id: "alpha-session" }).catch(codeOf);
    await service.store.close();
    expect(told).toBe("storage_damaged");
    expect((await runBelay(home, ["verify"])).code).toBe(5);
  });

  it("and makes event positions go back does not send a follower in circles", async () => {
    const home = join(root, "positions");
    freshCopy(data.checkpointed, home);
    turnPositionBack(join(home, "belay.db"), "Question 3 of gamma-done?");
    const service = await openService(home);
    const told = await readWholeFeed(service.store).then(
      ({ length }) => `${length} events`,
      codeOf,
    );
    await service.store.close();
    expect(told).toBe("storage_damaged");
    expect((await runBelay(home, ["verify"])).code).toBe(5);
  });

  it("and renames a column is reported as damage, not as a failing disk", async () => {
    const home = join(root, "columns");
    freshCopy(data.checkpointed, home);
    const path = join(home, "belay.db");
    const bytes = readFileSync(path);
    // A migration has rewritten the table's line, and the old one may still be next to it.
    for (const table of placesOf(bytes, "CREATE TABLE heads")) {
      flip(bytes, bytes.indexOf("head TEXT", table), 0);
    }
    writeFileSync(path, bytes);
    const service = await openService(home);
    const { entity_id } = await service.call("get", { id: "alpha-session" });
    const told = await loadHeadBefore(service.store, entity_id, 5).catch(codeOf);
    await service.store.close();
    expect(told).toBe("storage_damaged");
    expect((await runBelay(home, ["verify"])).code).toBe(5);
  });

  it("and hides a session behind one with the same id prefix never shows it under the wrong id", async () => {
    const home = join(root, "keys");
    freshCopy(data.checkpointed, home);
    const path = join(home, "belay.db");
    const bytes = readFileSync(path);
    // The table has it after an id that ends in hex, the index after the header of its record.
    const entries = placesOf(bytes, "sessionlocalbeta-fork").filter((at) => {
      return bytes.toString("latin1", at + 21, at + 22) !== "-" && (bytes[at - 1] ?? 0) < 0x20;
    });
    const [entry = 0] = entries;
    flip(bytes, entry + 20, 0);
    writeFileSync(path, bytes);
    const service = await openService(home);
    const told = await service.call("get", { id: "beta-fork" }).catch(codeOf);
    await service.store.close();
    expect(entries).toHaveLength(1);
    expect(typeof told === "string" ? told : told.session_id).not.toBe("beta-fork");
    expect((await runBelay(home, ["verify"])).code).toBe(5);
  });
});

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : `untyped: ${error}`;
}

function damage(name: string, work: (database: DatabaseSync) => void): string {
  const home = join(root, name);
  freshCopy(data.checkpointed, home);
  const database = new DatabaseSync(join(home, "belay.db"));
  work(database);
  database.close();
  return home;
}

/** Flips the bit of 8 in the position of the event with this text, which moves it behind later events. */
function turnPositionBack(path: string, text: string): void {
  const bytes = readFileSync(path);
  const database = new DatabaseSync(path, { readOnly: true });
  const row = database.prepare("SELECT pos FROM events WHERE body LIKE ?").get(`%${text}%`);
  database.close();
  const position = Number(row?.pos);
  const body = placesOf(bytes, text).at(-1) ?? 0;
  for (let at = body; at > body - 600; at -= 1) {
    // SQLite writes numbers over 127 with seven bits in each byte, the first with the high bit set.
    if (bytes[at] !== (0x80 | (position >> 7)) || bytes[at + 1] !== (position & 0x7f)) continue;
    flip(bytes, at + 1, 3);
    writeFileSync(path, bytes);
    if (isOutOfOrder(path)) return;
    flip(bytes, at + 1, 3);
  }
  throw new Error(`the position of "${text}" was not found`);
}

function isOutOfOrder(path: string): boolean {
  const database = new DatabaseSync(path, { readOnly: true });
  const found = database.prepare("PRAGMA integrity_check").all();
  database.close();
  return found.some((row) => String(row.integrity_check).includes("out of order"));
}

function placesOf(bytes: Buffer, text: string): number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + 1)) places.push(at);
  return places;
}

function flip(bytes: Buffer, at: number, bit: number): void {
  bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
}
