import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { BelayError, openBelay } from "../../src/index.ts";
import { copyData } from "./copy-data.ts";
import { runBelay } from "./run-worker.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const root = temporaryFolder();

describe("a database of another program", () => {
  it.each(["closed", "crashed"] as const)(
    "of a newer Belay is refused as storage_newer and stays unchanged, byte for byte: %s",
    async (state) => {
      const home = await makeOther(state, 1);
      await expectRefusal(home, "storage_newer");
    },
  );

  it.each(["closed", "crashed"] as const)(
    "of a Belay before the first release is refused, and stays unchanged, byte for byte: %s",
    async (state) => {
      const home = await makeOther(state, -1);
      await expectRefusal(home, "storage_unsupported");
    },
  );

  it.each([
    ["text", Buffer.from("These are my notes, and no database.\n".repeat(50))],
    ["noise", Buffer.from(Array.from({ length: 20_000 }, (_, n) => (n * 7919) % 251))],
    ["a header and nothing else", Buffer.from(`SQLite format 3\0${"x".repeat(5000)}`)],
  ])("that is %s is refused as storage_damaged and stays unchanged", async (name, bytes) => {
    const home = join(root, name.replaceAll(" ", "-"));
    mkdirSync(home);
    writeFileSync(join(home, "belay.db"), bytes);
    await expectRefusal(home, "storage_damaged");
  });

  it("is refused as storage_damaged and not changed", async () => {
    const home = join(root, "another-program");
    mkdirSync(home);
    const database = new DatabaseSync(join(home, "belay.db"));
    database.exec("CREATE TABLE songs (title TEXT); INSERT INTO songs VALUES ('Hold on');");
    database.close();
    const rows = () => {
      const again = new DatabaseSync(join(home, "belay.db"), { readOnly: true });
      const found = again
        .prepare("SELECT name, (SELECT title FROM songs) AS title FROM sqlite_schema")
        .all();
      again.close();
      return found;
    };
    const before = rows();
    await expect(openBelay({ home })).rejects.toMatchObject({ code: "storage_damaged" });
    expect(rows()).toEqual(before);
  });

  it("control: a database of our own changes when it is opened", async () => {
    const home = join(root, "our-own");
    const before = contents(home);
    await (await openBelay({ home })).close();
    expect(contents(home)).not.toEqual(before);
  });
});

async function expectRefusal(home: string, code: string): Promise<void> {
  const before = contents(home);
  const refused = await openBelay({ home }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(BelayError);
  expect(refused).toMatchObject({ code });
  const { code: exit, stdout } = await runBelay(home, ["list", "--json"]);
  expect({ exit, error: JSON.parse(stdout).error }).toEqual({ exit: 5, error: code });
  expect((await runBelay(home, ["verify"])).code).toBe(5);
  expect(contents(home)).toEqual(before);
}

async function makeOther(state: string, change: number): Promise<string> {
  const origin = join(root, `other-origin-${state}${change}`);
  const home = join(root, `other-${state}${change}`);
  const belay = await openBelay({ home: origin });
  await belay.sessions.create({ agent_name: "worker", session_id: "from-the-future" });
  await belay.close();
  const database = new DatabaseSync(join(origin, "belay.db"));
  const version = database.prepare("PRAGMA user_version").get()?.user_version;
  database.exec(`PRAGMA user_version = ${Number(version) + change}`);
  if (state === "crashed") copyData(origin, home);
  database.close();
  if (state === "closed") copyData(origin, home);
  return home;
}

/** Every file except the shared memory, which readers may touch. */
function contents(home: string) {
  if (!existsSync(home)) return [];
  const names = readdirSync(home, { withFileTypes: true })
    .map(({ name }) => name)
    .filter((name) => !name.endsWith("-shm"));
  return names.sort().map((name) => [name, readFileSync(join(home, name), "base64")]);
}
