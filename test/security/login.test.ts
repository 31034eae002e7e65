import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { identifyProcess } from "../../src/process/process-identity.ts";
import { askLoginLink } from "../../src/server/access/ask-login-link.ts";
import {
  proveServer,
  writeServerAddress,
  writeServerToken,
} from "../../src/server/server-files.ts";

const TOKEN = "belay_0198c0de00007000800000000000000_secret";
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

describe("belay login", () => {
  it("shows the token only to a program that proves that it is the server", async () => {
    for (const prove of [
      () => null,
      () => "x".repeat(43),
      // As if it had asked the real server, at another address.
      (nonce: string) => proveServer(TOKEN, "http://127.0.0.1:1", nonce),
    ]) {
      const { home, seen } = await openStranger((_url, nonce) => prove(nonce));
      await expect(askLoginLink(home)).rejects.toMatchObject({ code: "server_not_running" });
      expect(seen.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
    }
    const { home, seen } = await openStranger((url, nonce) => proveServer(TOKEN, url, nonce));
    await askLoginLink(home).catch(() => {});
    expect(seen.at(-1)?.authorization).toBe(`Bearer ${TOKEN}`);
  });

  it("contacts no server if its pid now belongs to another process", async () => {
    const { home, seen, url } = await openStranger((at, nonce) => proveServer(TOKEN, at, nonce));
    writeServerAddress(home, { url, ...identifyProcess(process.pid), start_time: 1 });
    await expect(askLoginLink(home)).rejects.toMatchObject({ code: "server_not_running" });
    expect(seen).toEqual([]);
  });
});

/** A program at the address of a dead server; `prove` answers its challenge. */
async function openStranger(prove: (url: string, nonce: string) => string | null) {
  const home = mkdtempSync(join(tmpdir(), "belay-login-"));
  const seen: { readonly authorization: string | undefined }[] = [];
  let url = "";
  const listen: RequestListener = async (request, response) => {
    seen.push({ authorization: request.headers.authorization });
    let body = "";
    for await (const piece of request) body += piece;
    const nonce = /"nonce":"([^"]+)"/.exec(body)?.[1];
    const proof = nonce === undefined ? null : prove(url, nonce);
    response.end(JSON.stringify({ proof, path: "/login#code" }));
  };
  const server = createServer(listen);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  ends.push(() => {
    server.close();
    rmSync(home, { recursive: true, force: true });
  });
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  writeServerAddress(home, { url, pid: process.pid });
  writeServerToken(home, TOKEN);
  return { home, seen, url };
}
