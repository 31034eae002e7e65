import { describe, expect, it } from "vitest";
import { BelayError, refuse } from "../../src/contract/errors.ts";
import { openServer, type ServerOptions } from "./open-server.ts";
import { send } from "./send.ts";

describe("an error", () => {
  it("is written only to the log if it is unexpected", async () => {
    const server = await openServer({
      wrap: (store) => ({
        ...store,
        list: () => Promise.reject(new Error("cannot open /home/ann/secret.db")),
      }),
    });
    const headers = { "x-trace-id": "lost-1" };
    const { status, text } = await server.ask("GET", "/sessions", { headers });
    expect(status).toBe(500);
    expect(JSON.parse(text)).toEqual({
      error: "internal",
      message: expect.stringContaining("x-trace-id"),
      details: {},
    });
    const line = server
      .log()
      .split("\n")
      .find((each) => each.includes("secret.db") && each.includes("lost-1"));
    expect(JSON.parse(line ?? "{}")).toMatchObject({ level: 50, trace_id: "lost-1" });
  });

  it("that is our fault has no details", async () => {
    const { ask } = await openServer(failing("internal", "the index is off by one"));
    const { status, text } = await ask("GET", "/sessions");
    expect([status, text]).toEqual([500, expect.not.stringContaining("off by one")]);
  });

  it.each([
    ["store_busy", 503],
    ["agents_busy", 503],
    ["shutting_down", 503],
  ] as const)("%s has a Retry-After header", async (code, expected) => {
    const { ask } = await openServer(failing(code, "busy"));
    const { status, headers, json } = await ask("GET", "/sessions");
    expect([status, headers.get("retry-after")]).toEqual([expected, "1"]);
    expect(json).toEqual({ error: code, message: "busy", details: { found: 1 } });
  });

  it.each([
    ["storage_full", 507],
    ["agent_failed", 502],
    ["session_held", 409],
    ["too_large", 413],
  ] as const)("%s has its own status", async (code, expected) => {
    const { ask } = await openServer(failing(code, "why"));
    const { status, json } = await ask("POST", "/sessions/abcdef/pin");
    expect([status, json]).toEqual([
      expected,
      { error: code, message: "why", details: { found: 1 } },
    ]);
  });

  it("in the store of tokens refuses everyone", async () => {
    let isBusy = false;
    const { ask } = await openServer({
      wrap: (store) => ({
        ...store,
        async read(...asked) {
          if (isBusy) throw new BelayError(refuse("store_busy", "busy"));
          return store.read(...asked);
        },
      }),
    });
    isBusy = true;
    expect((await ask("GET", "/sessions")).status).toBe(503);
    isBusy = false;
  });

  it("has one form, whichever part finds it", async () => {
    const { ask, port, tokens } = await openServer();
    for (const [method, path, status, error] of [
      ["GET", "/nothing", 404, "route_not_found"],
      ["DELETE", "/sessions", 405, "wrong_method"],
      ["PUT", "/sessions/abc", 405, "wrong_method"],
      ["GET", "/sessions/%", 400, "invalid_input"],
      ["GET", "/sessions/abcdef", 404, "session_not_found"],
      ["GET", `/${"a/".repeat(200)}`, 404, "route_not_found"],
      ["GET", `/${"a".repeat(500)}`, 404, "route_not_found"],
    ] as const) {
      const answer = await ask(method, path);
      expect([path, answer.status, answer.json]).toEqual([
        path,
        status,
        { error, message: expect.any(String), details: expect.any(Object) },
      ]);
      expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
    }
    expect((await ask("DELETE", "/sessions")).headers.get("allow")).toBe("GET, HEAD, POST");
    const headers = { authorization: `Bearer ${tokens.ann.read}` };
    for (const method of ["TRACE", "PROPFIND", "QUERY"]) {
      const { status } = await send(port, method, "/sessions", { headers });
      expect([404, 405, 415]).toContain(status);
    }
  });
});

/** A server whose lists and pins fail. */
function failing(
  code: "internal" | Parameters<typeof refuse>[0],
  message: string,
): Pick<ServerOptions, "broken"> {
  const error = new BelayError(refuse(code, message, { found: 1 }));
  return {
    broken: (app) => ({
      ...app,
      service: {
        call: (name, input, caller) =>
          name === "list" || name === "pin"
            ? Promise.reject(error)
            : app.service.call(name, input, caller),
      },
    }),
  };
}
