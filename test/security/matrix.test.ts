import { beforeAll, describe, expect, it } from "vitest";
import { OPERATIONS } from "../../src/contract/operations.ts";
import { SCOPES, type Scope } from "../../src/contract/vocabulary.ts";
import type { Endpoint } from "../../src/interfaces/http/list-endpoints.ts";
import { mayDo } from "../http/doors-table.ts";
import { findViolations, rowsOf, tellingOf } from "../http/judge-ways.ts";
import { type Doors, openDoors } from "../http/open-doors.ts";
import { openServer, type TestServer } from "../http/open-server.ts";
import { ENDPOINTS, nameOf, OTHER_ENDPOINTS, ROUTE_WAYS } from "../http/route-ways.ts";

let doors: Doors;
beforeAll(async () => {
  doors = await openDoors();
});

/** Tools and fields have their matrix in test/http/doors-table.test.ts. */
describe("every route that needs a token", () => {
  it("is in the matrix: it can be asked for what is somebody's, or names nothing", () => {
    expect(ENDPOINTS.length).toBeGreaterThan(80);
    for (const way of ROUTE_WAYS) expect(rowsOf(way).length, way.label).toBeGreaterThan(0);
    for (const { path } of OTHER_ENDPOINTS) expect(path).not.toContain(":");
  });

  it("lets in the scopes that the tables name, and nobody else", async () => {
    expect(await findWrongScopes(await openServer())).toEqual([]);
  }, 120_000);

  it("shows and changes nothing of another owner's, nor what a recorder has not made", async () => {
    const callers = ["nobody", "revoked", "reader", "recorder", "other", "otherAdmin"] as const;
    expect(await findViolations(doors, callers, ROUTE_WAYS)).toEqual([]);
  }, 120_000);
});

describe("a server that does not look", () => {
  it("at what a token allows is found out, at every route", async () => {
    const server = await openServer({
      parts: {
        admit: async () => ({ token_id: "any", owner: "ann", name: "any", scope: "admin" }),
        isAdmitted: async () => true,
      },
    });
    const found = (await findWrongScopes(server)).join("\n");
    for (const endpoint of ENDPOINTS) {
      const name = nameOf(endpoint);
      expect(found).toContain(`${name} by revoked`);
      if (neededBy(endpoint) !== "read") expect(found).toContain(`${name} by read:`);
    }
  }, 120_000);

  it("at owners is found out, at every route that has something to tell", async () => {
    doors.change = (caller) => ({ ...caller, owner: "ann" });
    const found = (await findViolations(doors, ["otherAdmin"], ROUTE_WAYS)).join("\n");
    for (const { label } of TELLING) expect(found).toContain(`${label} by otherAdmin`);
    expect(found).toContain("otherAdmin changed what is ann's");
  }, 120_000);

  it("at who created a session is found out, at every route that has something to tell", async () => {
    doors.change = (caller) => (caller.scope === "record" ? { ...caller, scope: "write" } : caller);
    const found = (await findViolations(doors, ["recorder"], ROUTE_WAYS)).join("\n");
    const telling = TELLING.filter(({ operation }) => mayDo("recorder", operation));
    for (const { label } of telling) expect(found).toContain(`${label} by recorder`);
  }, 120_000);
});

/** What a stream tells first need not be what its owner wrote. */
const TELLING = tellingOf(ROUTE_WAYS.filter(({ label }) => !label.endsWith(" as a stream")));

async function findWrongScopes(server: TestServer): Promise<string[]> {
  const revoked = await server.makeToken("ann", "admin");
  await server.revoke(revoked.id);
  const outside = { nobody: null, revoked: revoked.token };
  const found = await Promise.all(
    ENDPOINTS.map(async (endpoint) => {
      const wrongs: string[] = [];
      for (const [caller, token] of Object.entries(outside)) {
        const { status } = await ask(server, endpoint, token);
        if (status !== 401) wrongs.push(`${nameOf(endpoint)} by ${caller}: ${status}`);
      }
      for (const scope of SCOPES) {
        const { status, text } = await ask(server, endpoint, server.tokens.ann[scope]);
        const isLetIn = SCOPES.indexOf(scope) >= SCOPES.indexOf(neededBy(endpoint));
        const isRefused = status === 403 && text.includes(`This token has scope \\"${scope}\\"`);
        if (status === 401 || isRefused === isLetIn) {
          wrongs.push(`${nameOf(endpoint)} by ${scope}: ${status} ${text.slice(0, 200)}`);
        }
      }
      return wrongs;
    }),
  );
  return found.flat();
}

/** What is asked for is not there: only who asks is looked at. */
function ask(server: TestServer, { method, path }: Endpoint, token: string | null) {
  const place = path.replaceAll(/:\w+/g, "absent");
  const isBody = method === "POST" || method === "PATCH";
  return server.ask(method, place, { token, ...(isBody && { body: {} }) });
}

/** Where two answer one path, the request is led to the operation unless a stream is asked for. */
function neededBy({ operation, own }: Endpoint): Scope {
  if (operation && (!own || own.accepts !== undefined))
    return OPERATIONS[operation.operation].scope;
  return own?.scope ?? "admin";
}
