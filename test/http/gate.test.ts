import { describe, expect, it } from "vitest";
import { openServer } from "./open-server.ts";
import { registeredDuring } from "./registered-routes.ts";
import { API_ROUTES, OPEN_ROUTES, pathOf, prepare } from "./route-table.ts";
import { errorOf, send, sendBytes } from "./send.ts";

const everyRoute = [...API_ROUTES, ...OPEN_ROUTES];

const BODY = '{"code":"x"}';

/** The permissions of each route are in test/security/matrix.test.ts. */
describe("access", () => {
  it("is in the table for every route", async () => {
    const registered = await registeredDuring(() => openServer());
    const real = registered.filter(({ refuses, route }) => !refuses && !route.startsWith("HEAD "));
    expect(real.map(({ route }) => route).toSorted()).toEqual(everyRoute.toSorted());
    expect(real.filter(({ open }) => open).map(({ route }) => route)).toEqual(OPEN_ROUTES);
    const heads = registered.filter(({ refuses, route }) => !refuses && route.startsWith("HEAD "));
    expect(heads.length).toBeGreaterThan(0);
    for (const { route } of heads) expect(everyRoute).toContain(route.replace("HEAD", "GET"));
  });

  it("needs a token, also for unknown routes", async () => {
    const { ask } = await openServer();
    const outside = { token: null };
    for (const path of ["/nothing", "/login/", "/s", "/s/a/b", "/health/x", "/.git/config"]) {
      expect([path, (await ask("GET", path, outside)).status]).toEqual([path, 401]);
      expect([path, (await ask("GET", path)).status]).toEqual([path, 404]);
    }
    expect((await ask("GET", "/sessions/%zz", outside)).status).toBe(401);
    expect((await ask("PUT", "/sessions", outside)).status).toBe(401);
    expect((await ask("OPTIONS", "/sessions", outside)).status).toBe(401);
  });

  it("accepts a token only in its header, complete, never in the URL", async () => {
    const { ask, tokens } = await openServer();
    const token = tokens.ann.write;
    const get = async (path: string, headers: Record<string, string>) =>
      (await ask("GET", path, { token: null, headers })).status;
    expect(await get(`/sessions?token=${token}`, {})).toBe(401);
    expect(await get(`/sessions?access_token=${token}`, {})).toBe(401);
    expect(await get("/sessions", { authorization: token })).toBe(401);
    expect(await get("/sessions", { authorization: `Basic ${token}` })).toBe(401);
    expect(await get("/sessions", { authorization: `Bearer ${token} x` })).toBe(401);
    expect(await get("/sessions", { authorization: `Bearer ${token}${"x".repeat(8000)}` })).toBe(
      401,
    );
    expect(await get("/sessions", { authorization: `bearer ${token}` })).toBe(200);
    expect(
      await get("/sessions", { authorization: "Bearer", cookie: `belay_token=${token}` }),
    ).toBe(401);
  });

  it("is refused with two tokens, because a proxy may have checked the other", async () => {
    const { port, tokens } = await openServer();
    const get = async (...given: string[]) => {
      const headers = given.map((token) => `Authorization: Bearer ${token}\r\n`).join("");
      const lines = `GET /sessions HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n`;
      return (await sendBytes(port, `${lines}${headers}\r\n`)).slice(9, 12);
    };
    const { read, write } = tokens.ann;
    expect(await get(read)).toBe("200");
    expect(await get(read, write)).toBe("401");
    expect(await get(read, read)).toBe("401");
    expect(await get(read, "none")).toBe("401");
  });

  it("is refused with a hint", async () => {
    const { ask } = await openServer();
    const { headers, json } = await ask("GET", "/sessions", { token: null });
    expect(headers.get("www-authenticate")).toBe("Bearer");
    expect(json).toMatchObject({ error: "not_authenticated", details: {} });
  });
});

describe("a request that a page of another origin makes a browser send", () => {
  const attacks = {
    "a foreign Host": { status: 421, headers: { host: "evil.example" } },
    "a foreign Host with our port": { status: 421, headers: { host: "evil.example:PORT" } },
    "our name with another port": { status: 421, headers: { host: "localhost:1" } },
    "a name that begins like ours": {
      status: 421,
      headers: { host: "localhost.evil.example:PORT" },
    },
    "a foreign Origin": { status: 403, headers: { origin: "http://evil.example" } },
    "the Origin of this machine's usual port": {
      status: 403,
      headers: { origin: "http://127.0.0.1" },
    },
    "the Origin of another port": { status: 403, headers: { origin: "http://localhost:1" } },
    "our Origin with another scheme": {
      status: 403,
      headers: { origin: "https://127.0.0.1:PORT" },
    },
    "the Origin null": { status: 403, headers: { origin: "null" } },
    "a request from another site": { status: 403, headers: { "sec-fetch-site": "cross-site" } },
    "a request from a sibling site": { status: 403, headers: { "sec-fetch-site": "same-site" } },
    "an upgrade": { status: 403, headers: { connection: "upgrade", upgrade: "websocket" } },
    "a form": { status: 415, headers: { "content-type": "application/x-www-form-urlencoded" } },
    "a form with files": {
      status: 415,
      headers: { "content-type": "multipart/form-data; boundary=x" },
    },
    "plain text": { status: 415, headers: { "content-type": "text/plain" } },
    "JSON that calls itself text": {
      status: 415,
      headers: { "content-type": "text/plain; application/json" },
    },
  } as const;

  it.each(Object.entries(attacks))(
    "is refused on every route, token or not: %s",
    async (_, attack) => {
      const server = await openServer();
      const prepared = await prepare(server);
      const before = await server.ask("GET", `/sessions/${prepared.id}`);
      for (const route of [...everyRoute, "GET /nothing", "PUT /sessions", "OPTIONS /sessions"]) {
        const [method = ""] = route.split(" ");
        for (const token of [server.tokens.ann.admin, null]) {
          const headers = Object.fromEntries(
            Object.entries(attack.headers).map(([name, value]) => [
              name,
              value.replace("PORT", String(server.port)),
            ]),
          );
          const {
            status,
            text,
            headers: answered,
          } = await send(server.port, method, pathOf(route, prepared), {
            headers: {
              ...headers,
              ...(token && { authorization: `Bearer ${token}` }),
              ...("content-type" in attack.headers && { "content-length": String(BODY.length) }),
            },
            ...("content-type" in attack.headers && { body: BODY }),
          });
          expect([route, status, text]).toEqual([route, attack.status, expect.any(String)]);
          expect(Object.keys(answered).filter((name) => name.startsWith("access-control"))).toEqual(
            [],
          );
        }
      }
      expect((await server.ask("GET", `/sessions/${prepared.id}`)).text).toBe(before.text);
    },
  );

  it("changes nothing with a GET, on any path", async () => {
    const server = await openServer();
    const prepared = await prepare(server);
    const before = await server.ask("GET", `/sessions/${prepared.id}`);
    for (const route of everyRoute.filter((each) => !each.startsWith("GET "))) {
      const path = pathOf(route, prepared);
      const asked = await send(server.port, "GET", path, {
        headers: { authorization: `Bearer ${server.tokens.ann.admin}` },
      });
      const got = route.replace(/^\w+/, "GET");
      // GraphiQL is only shown to browsers, and a GET for MCP opens a stream of a session.
      const isOther = got === "GET /graphql" || got === "GET /mcp";
      const isThere = everyRoute.includes(got) && !isOther;
      expect([route, asked.status]).toEqual([route, isThere ? 200 : 405]);
      if (!isThere && got !== "GET /mcp")
        expect(asked.headers.allow).toContain(route.split(" ")[0]);
    }
    expect((await server.ask("GET", `/sessions/${prepared.id}`)).text).toBe(before.text);
  });

  it("gets nothing from a preflight", async () => {
    const { port } = await openServer();
    const { status, headers } = await send(port, "OPTIONS", "/sessions", {
      headers: {
        origin: "http://evil.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization",
      },
    });
    expect(status).toBe(403);
    expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  it("is refused with two Hosts, without one, or with another address in the request line", async () => {
    const { port, tokens } = await openServer();
    const rest = `Authorization: Bearer ${tokens.ann.admin}\r\nConnection: close\r\n\r\n`;
    for (const lines of [
      `GET /sessions HTTP/1.1\r\n`,
      `GET /sessions HTTP/1.0\r\n`,
      `GET /sessions HTTP/1.1\r\nHost: localhost:${port}\r\nHost: evil.example\r\n`,
      `GET /sessions HTTP/1.1\r\nHost: evil.example\r\nHost: localhost:${port}\r\n`,
      `GET http://evil.example/sessions HTTP/1.1\r\nHost: localhost:${port}\r\n`,
      `GET http://localhost:${port}/sessions HTTP/1.1\r\nHost: localhost:${port}\r\n`,
      `OPTIONS * HTTP/1.1\r\nHost: localhost:${port}\r\n`,
    ]) {
      const answer = await sendBytes(port, lines + rest);
      expect([lines, answer.slice(0, 12)]).toEqual([lines, "HTTP/1.1 421"]);
      expect(errorOf(answer.split("\r\n\r\n")[1] ?? "")).toBe("wrong_host");
    }
  });
});

describe("the server's own name", () => {
  it("is localhost in all spellings, and the origin of its own pages", async () => {
    const { port, tokens } = await openServer();
    const authorization = `Bearer ${tokens.ann.read}`;
    for (const name of ["localhost", "LOCALHOST", "127.0.0.1", "[::1]"]) {
      const host = `${name}:${port}`;
      const plain = await send(port, "GET", "/sessions", { headers: { authorization, host } });
      expect([name, plain.status]).toEqual([name, 200]);
      const headers = {
        authorization,
        host,
        origin: `http://${host}`,
        "sec-fetch-site": "same-origin",
      };
      expect((await send(port, "GET", "/sessions", { headers })).status).toBe(200);
    }
  });

  it("includes the configured names", async () => {
    const { port, tokens } = await openServer({
      address: { allowedHosts: ["Belay.internal", "proxy.example:8443"] },
    });
    const authorization = `Bearer ${tokens.ann.read}`;
    const ask = async (headers: Record<string, string>) =>
      (await send(port, "GET", "/sessions", { headers: { authorization, ...headers } })).status;
    expect(await ask({ host: "belay.internal" })).toBe(200);
    expect(await ask({ host: `belay.internal:${port}` })).toBe(200);
    expect(await ask({ host: "belay.internal:1" })).toBe(421);
    expect(await ask({ host: "proxy.example:8443", origin: "https://proxy.example:8443" })).toBe(
      200,
    );
    expect(await ask({ host: "proxy.example" })).toBe(421);
    expect(await ask({ host: "belay.internal", origin: "ftp://belay.internal" })).toBe(403);
  });
});
