import { describe, expect, it } from "vitest";
import { OPERATIONS } from "../../src/contract/operations.ts";
import { SCOPES, type Scope } from "../../src/contract/vocabulary.ts";
import type { Endpoint } from "../../src/interfaces/http/endpoints.ts";
import { describeEndpoints } from "../../src/interfaces/http/openapi/describe-api.ts";
import { openServer, type TestServer } from "../http/open-server.ts";

/** Tools and fields have their matrix in test/http/doors-table.test.ts. */
describe("every route that needs a token", () => {
  it("lets in the scopes that the tables name, and nobody else", async () => {
    expect(ENDPOINTS.length).toBeGreaterThan(80);
    expect(await findViolations(await openServer())).toEqual([]);
  }, 60_000);

  it("is found out where the gate takes every token for an admin's", async () => {
    const server = await openServer();
    const { admin } = server.tokens.ann;
    const lax = {
      ...server,
      ask: (...[method, path, asked]: Parameters<TestServer["ask"]>) =>
        server.ask(method, path, { ...asked, ...(asked?.token && { token: admin }) }),
    };
    const found = (await findViolations(lax)).join("\n");
    for (const endpoint of ENDPOINTS) {
      const name = nameOf(endpoint);
      expect(found).toContain(`${name} by revoked`);
      if (neededBy(endpoint) !== "read") expect(found).toContain(`${name} by read:`);
    }
  }, 60_000);
});

const ENDPOINTS = describeEndpoints();

async function findViolations(server: TestServer): Promise<string[]> {
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

function nameOf({ method, path }: Endpoint): string {
  return `${method} ${path}`;
}
