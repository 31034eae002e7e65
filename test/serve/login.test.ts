import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import {
  endAll,
  listOf,
  newPlace,
  recordOf,
  runBelay,
  serve,
  startBelay,
  textOf,
} from "./server-process.ts";

const place = newPlace();
afterAll(async () => {
  await endAll();
  place.remove();
});

async function logIn(url: string): Promise<{ status: number; token: string }> {
  const { origin, hash } = new URL(url);
  const response = await fetch(`${origin}/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code: hash.slice(1) }),
  });
  const { token = "" } = recordOf(await response.json());
  return { status: response.status, token: String(token) };
}

describe("belay login", () => {
  it("says how to start a server if none runs, and shows the token to no one else", async () => {
    const none = await runBelay(place, ["login"]);
    expect([none.code, none.stdout]).toEqual([3, ""]);
    expect(none.stderr).toContain("belay serve");

    // A dead server, and a stranger at its address.
    const server = await serve(place);
    await server.end("SIGKILL");
    const asked: unknown[] = [];
    const stranger = createServer((request, response) => {
      asked.push(request.headers);
      response.end();
    });
    await new Promise<void>((resolve) =>
      stranger.listen(Number(new URL(server.url).port), "127.0.0.1", resolve),
    );
    const dead = await runBelay(place, ["login", "--json"]);
    expect([dead.code, dead.json]).toMatchObject([3, { error: "server_not_running" }]);
    expect(asked).toEqual([]);
    stranger.close();
  });

  it("prints a link that logs in one browser as the server's owner, once, and is never stored", async () => {
    const server = await serve(place, { args: ["--log", "debug"] });
    const first = await runBelay(place, ["login", "--json"]);
    const second = await runBelay(place, ["login"]);
    expect([first.code, second.code]).toEqual([0, 0]);
    const url = textOf(first.json, "url");
    expect(url).toMatch(new RegExp(`^${server.url}/login#[\\w-]{22}$`));
    const [other = ""] = /http:\S+/.exec(second.stdout) ?? [];
    expect(other).not.toBe(url);

    const { status, token } = await logIn(url);
    expect(status).toBe(200);
    const own = { authorization: `Bearer ${token}`, "sec-fetch-site": "same-origin" };
    const thirtyDays = new Date(Date.now() + 29.9 * 24 * 3_600_000).toISOString();
    const tokens = listOf((await server.ask("GET", "/tokens")).json, "tokens");
    const browser = tokens.find(({ name }) => name === "browser");
    expect(String(browser?.expires_at) > thirtyDays).toBe(true);
    expect(await server.knock("GET", "/sessions", own)).toBe(200);
    // It can act like a person, but cannot let others in.
    expect(await server.knock("POST", "/recover", own)).toBe(200);
    expect(await server.knock("POST", "/login/links", own)).toBe(403);
    expect((await logIn(url)).status).toBe(401);
    expect((await logIn(other)).status).toBe(200);

    const { stdout, stderr } = server.program;
    for (const link of [url, other]) {
      expect(stdout + stderr).not.toContain(new URL(link).hash.slice(1));
    }
    expect(await server.end()).toBe(0);
  });

  it("refuses an address file without an address", async () => {
    writeFileSync(join(place.home, "server.json"), "{", { mode: 0o600 });
    expect((await runBelay(place, ["login"])).code).toBe(3);
    expect((await runBelay(place, ["login", "now"])).code).toBe(2);
  });
});

describe("belay serve", () => {
  it("prints no login link without a terminal, and says how to get one", async () => {
    const program = startBelay(place, ["serve", "--port", "0"]);
    await program.says(() => /run `belay login`/.exec(program.stdout));
    expect(program.stdout).not.toContain("/login#");
    const [url = ""] = /http:\S+/.exec((await runBelay(place, ["login"])).stdout) ?? [];
    expect((await logIn(url)).status).toBe(200);
    expect(program.stdout).not.toContain("/login#");
    program.signal("SIGTERM");
    expect(await program.ended).toBe(0);
  });
});
