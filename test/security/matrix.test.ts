import { beforeAll, describe, expect, it } from "vitest";
import { OPERATIONS } from "../../src/contract/operations.ts";
import { SCOPES, type Scope } from "../../src/contract/vocabulary.ts";
import { isSystemHead } from "../../src/core/session/known-events.ts";
import type { Endpoint } from "../../src/doors/http/list-endpoints.ts";
import { LazyPart } from "../../src/store/lazy-part.ts";
import type { StoredStream, StreamStore } from "../../src/store/stream-store.ts";
import { MARK, mayDo } from "../http/doors-table.ts";
import { findViolations, returningData, rowsOf } from "../http/judge-ways.ts";
import { type Doors, openDoors } from "../http/open-doors.ts";
import { openServer, type TestServer } from "../http/open-server.ts";
import { ENDPOINTS, nameOf, OTHER_ENDPOINTS, ROUTE_WAYS } from "../http/route-ways.ts";

let doors: Doors;
beforeAll(async () => {
  doors = await openDoors();
});

/** The matrix of tools and fields is in test/http/doors-table.test.ts. */
describe("every route that needs a token", () => {
  it("is in the matrix, with a resource of an owner or none", () => {
    expect(ENDPOINTS.length).toBeGreaterThan(80);
    for (const way of ROUTE_WAYS) expect(rowsOf(way).length, way.label).toBeGreaterThan(0);
    const others = OTHER_ENDPOINTS.filter((endpoint) => !FILE_ENDPOINTS.includes(endpoint));
    for (const { path } of others) expect(path.replace(":tool", "")).not.toContain(":");
  });

  it("allows only the scopes in the tables", async () => {
    expect(await findWrongScopes(await openServer())).toEqual([]);
  });

  it("shows and changes nothing of another owner, or of another creator for scope record", async () => {
    const callers = ["nobody", "revoked", "reader", "recorder", "other", "otherAdmin"] as const;
    expect(await findViolations(doors, callers, ROUTE_WAYS)).toEqual([]);
  });
});

describe("every route of files", () => {
  it("answers for another owner's file like for a missing one", async () => {
    const server = await openServer();
    const { ann, bob } = server.tokens;
    const other = (await server.makeToken("ann", "record")).token;
    const make = async (token: string, session_id: string) =>
      askFor(server, ["POST", "/sessions"], token, { agent_name: "a", session_id });
    const entity = /"entity_id":"([^"]+)"/.exec((await make(ann.write, "anns-1")).text)?.[1] ?? "";
    await make(ann.record, "recorders-1");
    await make(bob.write, "bobs-1");
    const added = ["POST", "/sessions/anns-1/files?name=f"] as const;
    const kept = await askFor(server, added, ann.write, MARK);
    const digest = /"digest":"(\w{64})"/.exec(kept.text)?.[1] ?? "";
    const read = ["GET", `/sessions/anns-1/files/${digest}`] as const;
    expect((await askFor(server, read, ann.read)).text).toBe(MARK);

    const callers = [
      ["recorders-1", ann.record],
      ["recorders-1", other],
      ["bobs-1", bob.write],
      ["bobs-1", bob.admin],
    ] as const;
    expect(FILE_ENDPOINTS.length).toBe(6);
    for (const { method, path } of FILE_ENDPOINTS) {
      for (const [own, token] of callers) {
        const send = async (session: string) => {
          const place = path.replace(":id", session).replace(":digest", digest);
          const body = method === "POST" ? MARK : undefined;
          const at = method === "POST" ? `${place}?name=f` : place;
          const { status, text } = await askFor(server, [method, at], token, body);
          expect(text).not.toContain(MARK);
          return `${status} ${text.replaceAll(session, "<id>")}`;
        };
        const never = await send("absent");
        expect([await send("anns-1"), await send(entity)], path).toEqual([never, never]);
        expect(never).toMatch(method === "DELETE" && own === "recorders-1" ? /^403/ : /^404/);
        if (method !== "POST") expect(await send(own)).toMatch(/^40[34]/);
      }
    }
    expect((await askFor(server, read, ann.read)).text).toBe(MARK);
  });
});

describe("control: a server without a check", () => {
  it("of scopes is found at every route", async () => {
    const server = await openServer({ wrap: forgetScopes });
    const found = (await findWrongScopes(server)).join("\n");
    for (const endpoint of ENDPOINTS) {
      const name = nameOf(endpoint);
      expect(found).toContain(`${name} by revoked`);
      if (neededBy(endpoint) !== "read") expect(found).toContain(`${name} by read:`);
    }
  });

  it("of owners is found at every route that returns data", async () => {
    doors.change = (caller) => ({ ...caller, owner: "ann", role: "admin" });
    const found = (await findViolations(doors, ["otherAdmin"], ROUTE_WAYS)).join("\n");
    for (const { label } of RETURNING_DATA) expect(found).toContain(`${label} by otherAdmin`);
    expect(found).toContain("otherAdmin changed what is ann's");
  });

  it("of the creator is found at every route that returns data", async () => {
    doors.change = (caller) => (caller.scope === "record" ? { ...caller, scope: "write" } : caller);
    const found = (await findViolations(doors, ["recorder"], ROUTE_WAYS)).join("\n");
    const ways = RETURNING_DATA.filter(({ operation }) => mayDo("recorder", operation));
    for (const { label } of ways) expect(found).toContain(`${label} by recorder`);
  });
});

/** The same store, in which every token has all rights for ever. */
function forgetScopes(store: StreamStore): StreamStore {
  const forget = (stream: StoredStream): StoredStream => {
    const { head } = stream;
    if (!isSystemHead(head) || !head.token) return stream;
    const token = { ...head.token, scope: "admin" as const, revoked_at: null };
    return { ...stream, head: { ...head, token } };
  };
  return {
    ...store,
    async read(...asked) {
      const parts = await store.read(...asked);
      return parts.map((part) => part && new LazyPart(() => forget(part.stream), part));
    },
  };
}

/** Their answers are bytes, not an operation's output. */
const FILE_ENDPOINTS = OTHER_ENDPOINTS.filter(({ path }) => path.includes("/:id/files"));

/** The first event of a stream need not contain its owner's text. */
const RETURNING_DATA = returningData(
  ROUTE_WAYS.filter(({ label }) => !label.endsWith(" as a stream")),
);

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

/** The requested thing does not exist: only the caller matters. */
function ask(server: TestServer, { method, path, own }: Endpoint, token: string | null) {
  const place = path.replaceAll(/:\w+/g, "absent");
  const isBody = method === "POST" || method === "PATCH";
  const body = own?.takes === "bytes" ? MARK : {};
  return askFor(server, [method, place], token, isBody ? body : undefined);
}

/** A text is sent as a file, everything else as JSON. */
function askFor(
  server: TestServer,
  [method, path]: readonly [method: string, path: string],
  token: string | null,
  body?: unknown,
) {
  const headers = { "content-type": "application/octet-stream" };
  const isFile = typeof body === "string";
  return server.ask(method, path, {
    token,
    ...(body !== undefined && { body }),
    ...(isFile && { headers }),
  });
}

/** If two answer one path, the operation does unless a stream is requested. */
function neededBy({ operation, own }: Endpoint): Scope {
  if (operation && (!own || own.accepts !== undefined))
    return OPERATIONS[operation.operation].scope;
  return own?.scope ?? "admin";
}
