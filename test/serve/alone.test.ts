import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { mayUnshare, OTHER_NAMESPACE } from "../process/pid-namespace.ts";
import type { RunningProgram, ServerPlace } from "./server-process.ts";
import {
  endAll,
  newPlace,
  readJson,
  recordOf,
  runBelay,
  serve,
  startBelay,
  startServing,
} from "./server-process.ts";

const places: ServerPlace[] = [];
function make(): ServerPlace {
  const place = newPlace();
  places.push(place);
  return place;
}
afterEach(async () => {
  await endAll();
  for (const place of places.splice(0)) place.remove();
});

const isServing = (program: RunningProgram) =>
  program.says(() => (program.stdout.includes('"url"') ? true : null));

describe("a data folder", () => {
  it("has one server of four that start at once; the others name its address", async () => {
    const place = make();
    const four = [1, 2, 3, 4].map(() => startServing(place));
    const serving = await Promise.all(four.map(isServing));
    const [first, ...more] = four.filter((_, nth) => serving[nth]);
    expect(more).toEqual([]);
    const { url, pid } = recordOf(readJson(first?.stdout ?? ""));
    for (const other of four.filter((program) => program !== first)) {
      expect(await other.ended).toBe(4);
      const { error, message, details } = recordOf(readJson(other.stdout));
      expect([error, details]).toEqual(["server_running", { pid }]);
      expect(message).toContain(`pid ${pid}`);
      expect(message).toContain(`at ${url}`);
    }
    expect((await fetch(`${url}/health`)).status).toBe(200);
    first?.signal("SIGTERM");
    expect(await first?.ended).toBe(0);
  });

  it.skipIf(!mayUnshare)("has one server, also if that runs in a container", async () => {
    const place = make();
    const inside = await serve(place, { under: OTHER_NAMESPACE });
    const outside = startServing(place);
    expect(await outside.ended).toBe(4);
    expect(recordOf(readJson(outside.stdout))).toMatchObject({
      error: "server_running",
      message: expect.stringContaining(inside.url),
    });
  });

  it("that is a copy has no server while the original has one, and the error says so", async () => {
    const [original, copy] = [make(), make()];
    const first = await serve(original);
    const backup = await runBelay(original, ["backup", copy.home]);
    expect(backup.code).toBe(0);
    const refused = startServing(copy);
    expect(await refused.ended).toBe(4);
    expect(recordOf(readJson(refused.stdout))).toMatchObject({
      error: "server_running",
      message: expect.stringContaining(`or the folder of which ${copy.home} is a copy.`),
    });
    await first.end();
    expect((await fetch(`${(await serve(copy)).url}/health`)).status).toBe(200);
  });

  it("has one server for all owners, and files of a dead one are ignored", async () => {
    const place = make();
    const first = await serve(place);
    const stale = { url: "http://127.0.0.1:1", pid: 1 };
    const other = startServing(place, { env: { BELAY_OWNER: "another" } });
    expect(await other.ended).toBe(4);
    expect(recordOf(readJson(other.stdout))).toMatchObject({
      error: "server_running",
      message: expect.stringContaining(first.url),
    });
    await first.end();
    writeFileSync(join(place.home, "server.json"), JSON.stringify(stale), { mode: 0o600 });
    const next = await serve(place, { env: { BELAY_OWNER: "another" } });
    expect(next.url).not.toBe(stale.url);
    expect((await next.ask("GET", "/sessions")).status).toBe(200);
    expect(await next.end()).toBe(0);
  });

  it("is not served if nobody could log in: the server exits", async () => {
    const place = make();
    mkdirSync(join(place.home, "server-token"), { recursive: true, mode: 0o700 });
    const program = startServing(place);
    expect(await program.ended).toBe(70);
    const [, url = ""] = /Server listening at (http:[^"]+)/.exec(program.stderr) ?? [];
    await expect(fetch(`${url}/health`)).rejects.toThrow("fetch failed");
    expect(existsSync(join(place.home, "server.json"))).toBe(false);
  });

  it("is not served if its port is in use", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const address = taken.address();
    const port = typeof address === "object" ? String(address?.port) : "";
    const program = startBelay(make(), ["serve", "--port", port, "--json"]);
    expect(await program.ended).toBe(4);
    expect(recordOf(readJson(program.stdout))).toMatchObject({
      error: "address_taken",
      message: expect.stringContaining(port),
    });
    taken.close();
  });
});
