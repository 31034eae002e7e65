import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { endAll, listOf, newPlace, runBelay, serve } from "./server-process.ts";

const place = newPlace();
afterAll(async () => {
  await endAll();
  place.remove();
});

const addressFile = join(place.home, "server.json");
const tokenFile = join(place.home, "server-token");
const rightsOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

describe("a server's files", () => {
  it("contain its address and token, and only their owner can read them, with any umask", async () => {
    const server = await serve(place, { umask: "000" });
    expect(server.program.stdout).toBe(`${JSON.stringify({ url: server.url, pid: server.pid })}\n`);
    const { url, pid } = server;
    const started = { start_time: expect.any(Number), boot_id: expect.any(String) };
    expect(JSON.parse(readFileSync(addressFile, "utf8"))).toMatchObject({ url, pid, ...started });
    expect([rightsOf(addressFile), rightsOf(tokenFile), rightsOf(place.home)]).toEqual([
      "600",
      "600",
      "700",
    ]);
    expect((await server.ask("GET", "/sessions")).status).toBe(200);
    expect((await server.ask("GET", "/tokens")).status).toBe(200);
    expect(await server.end()).toBe(0);
    expect(existsSync(addressFile)).toBe(false);
  });

  it("keep the token over a restart, and replace a revoked one", async () => {
    const before = readFileSync(tokenFile, "utf8");
    const second = await serve(place, { umask: "777" });
    expect(readFileSync(tokenFile, "utf8")).toBe(before);
    expect(rightsOf(addressFile)).toBe("600");
    expect((await second.ask("GET", "/sessions")).status).toBe(200);
    const [token] = listOf((await second.ask("GET", "/tokens")).json, "tokens");
    await second.end();

    expect((await runBelay(place, ["token", "revoke", String(token?.id), "--json"])).code).toBe(0);
    const third = await serve(place);
    expect(readFileSync(tokenFile, "utf8")).not.toBe(before);
    expect(rightsOf(tokenFile)).toBe("600");
    expect((await third.ask("GET", "/sessions")).status).toBe(200);
    expect((await third.ask("GET", "/sessions", { token: before.trim() })).status).toBe(401);
    await third.end();
  });
});
