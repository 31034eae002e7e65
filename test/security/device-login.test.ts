import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { askDeviceLogin } from "../../src/server/access/ask-device-login.ts";
import { DeviceLogins } from "../../src/server/access/device-logins.ts";
import { MemoryValues } from "../../src/server/access/memory-values.ts";
import { createToken } from "../../src/server/operations/token-operations.ts";
import { openServer, type TestServer } from "../http/open-server.ts";
import { fieldOf } from "../http/streams/live-server.ts";

const ANN = { owner: "ann", actor: "ann", interface: "library", trace_id: null } as const;

const ASKER = { name: "laptop", address: "127.0.0.1", started_at: "2026-01-01T00:00:00.000Z" };

let server: TestServer;
let browser: string;
beforeAll(async () => {
  server = await openServer({ shared: true });
  const wanted = { name: "browser", scope: "write", owner: "bob" } as const;
  browser = (await createToken(server.runner.context, wanted, ANN, true)).token;
});

describe("a program without a browser", () => {
  it("is logged in as the person who approves its code, and shows its token to no one", async () => {
    const home = mkdtempSync(join(tmpdir(), "belay-device-"));
    try {
      const shown = Promise.withResolvers<{ url: string; code: string }>();
      const login = askDeviceLogin(
        home,
        server.url,
        (url, code) => shown.resolve({ url, code }),
        20,
      );
      const { url, code } = await shown.promise;
      expect(url).toBe(`${server.url}/device?code=${code}`);
      expect((await approve(browser, "ZZZZ-ZZZZ")).json).toEqual({ approved: false });
      expect((await approve(browser, code.toLowerCase())).json).toEqual({ approved: true });
      const { owner, file } = await login;
      expect(owner).toBe("bob");
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const token = readFileSync(file, "utf8").trim();
      expect((await server.ask("GET", "/counts", { token })).status).toBe(200);
      expect(server.log()).not.toContain(token);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });

  it("is shown with its name, address and person before it is approved", async () => {
    const before = Date.now();
    const started = await open("/login/device", { name: " build machine " });
    const user_code = fieldOf(started, "user_code");
    const find = (token: string | null, code = user_code) =>
      server.ask("POST", "/login/device/find", { token, body: { user_code: code } });
    const shown = await find(browser, user_code?.toLowerCase());
    const program = { name: "build machine", address: "127.0.0.1", started_at: expect.any(String) };
    expect(shown.json).toEqual({ owner: "bob", program });
    const { started_at } = z
      .object({ program: z.object({ started_at: z.string() }) })
      .parse(shown.json).program;
    expect(Date.parse(started_at)).toBeGreaterThanOrEqual(before);
    // It is found only by a logged-in browser, and only while it waits.
    expect((await find(server.tokens.bob.write)).status).toBe(403);
    expect((await find(null)).status).toBe(401);
    expect((await find(browser, "ZZZZ-ZZZZ")).json).toEqual({ owner: "bob", program: null });
    expect((await approve(browser, user_code)).json).toEqual({ approved: true });
    expect((await find(browser)).json).toEqual({ owner: "bob", program: null });
    // A program cannot choose a person, a scope or an address.
    for (const more of [{ scope: "admin" }, { owner: "ann" }, { address: "10.0.0.1" }]) {
      expect((await open("/login/device", { name: "x", ...more })).status).toBe(400);
    }
  });

  it("is approved only in a browser, and gets its token once", async () => {
    const started = await open("/login/device", {});
    const [user_code, device_code] = ["user_code", "device_code"].map((name) =>
      fieldOf(started, name),
    );
    const fetchToken = () => open("/login/device/token", { device_code });
    expect((await fetchToken()).json).toEqual({ pending: true });
    // The name of a token does not make it the login of a browser.
    const wanted = { name: "browser", owner: "bob" };
    const named = await server.service.call("create_token", wanted, ANN);
    const programs = [server.tokens.bob.write, server.tokens.bob.admin, named.token];
    for (const token of programs) expect((await approve(token, user_code)).status).toBe(403);
    expect((await approve(null, user_code)).status).toBe(401);
    expect((await fetchToken()).json).toEqual({ pending: true });
    expect((await approve(browser, user_code)).json).toEqual({ approved: true });
    // Nobody can approve it again, in another name.
    expect((await approve(browser, user_code)).json).toEqual({ approved: false });
    expect((await fetchToken()).json).toMatchObject({ owner: "bob", scope: "write" });
    expect((await fetchToken()).status).toBe(401);
    // The code that people see fetches nothing.
    expect((await open("/login/device/token", { device_code: user_code })).status).toBe(401);
  });

  it("cannot be found by guessing its code", async () => {
    const wanted = { name: "browser", scope: "write", owner: "bob" } as const;
    const guesser = (await createToken(server.runner.context, wanted, ANN, true)).token;
    const started = await open("/login/device", {});
    const guesses = Array.from({ length: 40 }, (_, n) =>
      n % 2 === 0
        ? approve(guesser, "BBBB-BBBB")
        : server.ask("POST", "/login/device/find", {
            token: guesser,
            body: { user_code: "BBBB-BBBB" },
          }),
    );
    const refused = (await Promise.all(guesses)).filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(20);
    const [first] = refused;
    expect(first?.json).toMatchObject({ error: "too_many_requests" });
    expect(Number(first?.headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await approve(guesser, fieldOf(started, "user_code"))).status).toBe(429);
    // Others are not affected.
    const other = { name: "browser", scope: "write", owner: "ann" } as const;
    const { token } = await createToken(server.runner.context, other, ANN, true);
    const approved = await approve(token, fieldOf(started, "user_code"));
    expect(approved.json).toEqual({ approved: true });
  });

  it("keeps its login while somebody starts thousands of others", async () => {
    const flooded = await openServer();
    const start = () => flooded.ask("POST", "/login/device", { token: null, body: {} });
    const first = await start();
    const answers = await Promise.all(Array.from({ length: 200 }, start));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(100);
    const body = { device_code: fieldOf(first, "device_code") };
    const asked = await flooded.ask("POST", "/login/device/token", { token: null, body });
    expect(asked.json).toEqual({ pending: true });
  });

  it("waits ten minutes, and sends no token without TLS", async () => {
    let now = 1000;
    const logins = new DeviceLogins(new MemoryValues(() => now));
    const { device_code, user_code } = await logins.start(ASKER);
    now += 10 * 60_000;
    expect([await logins.approve(user_code, "bob"), await logins.take(device_code)]).toEqual([
      false,
      null,
    ]);
    for (const url of [
      "http://belay.example.com",
      "belay.example.com",
      "http://127.0.0.1.evil.example",
    ]) {
      await expect(askDeviceLogin("/nowhere", url, () => {})).rejects.toMatchObject({
        code: "usage",
      });
    }
  });
});

function approve(token: string | null, user_code: string | undefined) {
  return server.ask("POST", "/login/device/approve", { token, body: { user_code } });
}

function open(path: string, body: object) {
  return server.ask("POST", path, { token: null, body });
}
