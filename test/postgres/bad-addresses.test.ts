import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newPlace, recordOf, runBelay } from "../serve/server-process.ts";
import { createPostgres } from "./postgres-server.ts";
import { query } from "./scene-databases.ts";

const server = await createPostgres();
await server.start();
const place = newPlace();
const own = server.urlOf("postgres");
/** An address as a user would write it, with a password. */
const urlOf = (login: string, database = "app") =>
  `postgres://${login}@127.0.0.1:${server.port}/${database}`;
const GOOD = urlOf("app:right");

beforeAll(async () => {
  await query(own, "CREATE ROLE app LOGIN PASSWORD 'right'");
  await query(own, "CREATE ROLE guest LOGIN PASSWORD 'right'");
  for (const name of ["app", "empty"]) await query(own, `CREATE DATABASE ${name} OWNER app`);
  await query(own, "CREATE DATABASE latin OWNER app ENCODING 'LATIN1' TEMPLATE template0");
  const access = "host all belay 127.0.0.1/32 trust\nhost all all all scram-sha-256\n";
  writeFileSync(join(server.folder, "data/pg_hba.conf"), access);
  await query(own, "SELECT pg_reload_conf()");
});
afterAll(async () => {
  await server.remove();
  place.remove();
});

async function run(args: readonly string[], env: Record<string, string> = {}) {
  const { code, stderr, stdout } = await runBelay(place, [...args, "--json"], env);
  const said = recordOf(JSON.parse(stderr || stdout));
  return { code, error: said.error, message: `${said.message}` };
}

async function tablesOf(database: string): Promise<number> {
  const sql = "SELECT count(*)::int AS n FROM pg_namespace WHERE nspname = 'belay'";
  return (await query(own.replace("/postgres", `/${database}`), sql)).rows[0].n;
}

describe("the address of the database", () => {
  it.each([
    ["no address", "nonsense", 5, "storage_unsupported", "is not an address"],
    ["another kind of database", "mysql://a@b/c", 5, "storage_unsupported", "the scheme mysql"],
    ["nothing", "", 5, "storage_unsupported", "is empty"],
    ["no host", "postgres://", 5, "storage_unsupported", "is not a valid address"],
    [
      "an invalid port",
      "postgres://a@b:99999/c",
      5,
      "storage_unsupported",
      "is not a valid address",
    ],
    [
      "a wrong password",
      urlOf("app:wrong"),
      5,
      "storage_failed",
      "Check the user and the password",
    ],
    ["no password", urlOf("app"), 5, "storage_failed", "Check the user and the password"],
    ["an unknown user", urlOf("who:right"), 5, "storage_failed", "Check the user and the password"],
    ["an unknown database", urlOf("app:right", "none"), 5, "storage_failed", "no such database"],
    ["a role without permission", urlOf("guest:right"), 5, "storage_failed", "Make it the owner"],
    ["another encoding", urlOf("app:right", "latin"), 5, "storage_unsupported", "encoding UTF8"],
  ])("is refused with %s", async (_, address, code, error, words) => {
    const refused = await run(["list"], { BELAY_DATABASE_URL: address });
    expect(refused).toMatchObject({ code, error, message: expect.stringContaining(words) });
    expect(refused.message).not.toContain("right");
  });

  it("leaves no tables behind where it is refused", async () => {
    expect([await tablesOf("app"), await tablesOf("latin")]).toEqual([0, 0]);
  });

  it.each(["1", "3601", "abc", ""])("is not used with leases of %j seconds", async (seconds) => {
    const env = { BELAY_DATABASE_URL: GOOD, BELAY_LEASE_SECONDS: seconds };
    const refused = await run(["serve", "--port", "0"], env);
    expect(refused).toMatchObject({ code: 2, error: "usage" });
    expect(refused.message).toContain("from 2 to 3600");
  });

  it.each(["http://a", "redis://", "redis://127.0.0.1:99999"])(
    "is not used with the Redis address %s",
    async (address) => {
      const env = { BELAY_DATABASE_URL: GOOD, BELAY_REDIS_URL: address };
      const refused = await run(["serve", "--port", "0"], env);
      expect(refused.code).not.toBe(0);
      expect(refused.message).toMatch(/^BELAY_REDIS_URL is not a/);
    },
  );
});

describe("belay migrate", () => {
  const migrate = (from: string, to: string) => run(["migrate", "--from", from, "--to", to]);

  it("refuses a source without tables, and creates none", async () => {
    const refused = await migrate(urlOf("app:right", "empty"), `files:${place.root}/copy`);
    expect(refused).toMatchObject({ code: 3, error: "storage_missing" });
    expect(await tablesOf("empty")).toBe(0);
  });

  it("refuses the same database under another name, and addresses that are not valid", async () => {
    await runBelay(place, ["create", "--agent", "a", "--id", "one"], { BELAY_DATABASE_URL: GOOD });
    const same = await migrate(GOOD, GOOD.replace("127.0.0.1", "localhost"));
    expect(same).toMatchObject({ code: 2, error: "usage" });
    expect(same.message).toContain("are the same");
    for (const to of ["mysql://a@b/c", "postgres://", "postgres://a@b:99999/c"]) {
      expect(await migrate(GOOD, to)).toMatchObject({ code: 2, error: "usage" });
    }
    const login = await migrate(GOOD, urlOf("app:wrong", "empty"));
    expect(login).toMatchObject({ code: 5, error: "storage_failed" });
    expect(await tablesOf("empty")).toBe(0);
  });
});
