import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { endAll, newPlace, runBelay, serve } from "./server-process.ts";

const place = newPlace();
afterAll(async () => {
  await endAll();
  place.remove();
});

const junk = join(place.root, "junk.pem");
writeFileSync(junk, "no certificate\n");

describe("belay serve", () => {
  it.each([
    [["--port", "many"], "--port"],
    [["--port", "65536"], "--port"],
    [["--host", "0.0.0.0", "--port", "0"], "--insecure"],
    [["--host", "::", "--port", "0"], "--insecure"],
    [["--host", "example.com", "--port", "0"], "--tls-cert"],
    [["--tls-cert", junk, "--port", "0"], "--tls-key"],
    [["--tls-cert", junk, "--tls-key", join(place.root, "none"), "--port", "0"], "--tls-key"],
    [["--tls-cert", junk, "--tls-key", junk, "--port", "0"], "PEM"],
    [["--log", "loud"], "--log"],
    [["--verbose"], "belay serve"],
    [["now"], "belay serve"],
  ])("%j is a usage error, and starts no server", async (args, says) => {
    const { code, stdout, stderr } = await runBelay(place, ["serve", ...args]);
    expect(code).toBe(2);
    expect(stderr).toContain(says);
    expect(stdout).toBe("");
    expect(existsSync(join(place.home, "server.json"))).toBe(false);
  });

  it("--insecure is reached from other hosts, under the configured names", async () => {
    const args = ["--host", "0.0.0.0", "--insecure", "--allow-host", "belay.example"];
    const server = await serve(place, { args });
    const authorization = `Bearer ${server.token}`;
    expect(await server.knock("GET", "/sessions", { authorization })).toBe(200);
    const known = { authorization, host: "belay.example" };
    expect(await server.knock("GET", "/sessions", known)).toBe(200);
    const unknown = { authorization, host: "evil.example" };
    expect(await server.knock("GET", "/sessions", unknown)).toBe(421);
    expect(await server.end()).toBe(0);
  });

  const cert = join(place.root, "cert.pem");
  const key = join(place.root, "key.pem");
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const files = ["-keyout", key, "-out", cert, "-days", "2"];
  const made = spawnSync("openssl", ["req", "-x509", ...curve, ...subject, ...files]).status === 0;

  it.skipIf(!made)("with a certificate accepts only TLS (needs openssl)", async () => {
    const server = await serve(place, { args: ["--tls-cert", cert, "--tls-key", key] });
    expect(server.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(await statusOf(`${server.url}/sessions`, server.token)).toBe(200);
    expect(await statusOf(`${server.url}/sessions`, "none")).toBe(401);
    await expect(fetch(server.url.replace("https", "http"))).rejects.toThrow();
    expect(await server.end()).toBe(0);
  });

  function statusOf(url: string, token: string): Promise<number | undefined> {
    const headers = { authorization: `Bearer ${token}` };
    return new Promise((resolve, reject) => {
      const asked = request(url, { ca: readFileSync(cert), headers, agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      asked.on("error", reject).end();
    });
  }
});
