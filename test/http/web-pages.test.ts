import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { OWN_OPERATIONS, ROUTES } from "../../src/doors/http/routes.ts";
import { WEB_PAGES } from "../../src/doors/http/web/web-pages.ts";
import { CALLS } from "../../web/src/api/calls.ts";
import { root } from "../architecture/list-files.ts";
import { openServer } from "./open-server.ts";
import { send } from "./send.ts";

const ASSETS = join(root, "dist", "web", "assets");
const paths = WEB_PAGES.map((page) => page.replace(":id", "some-session"));
const nobody = { token: null } as const;

describe("the addresses of the web page", () => {
  it("are those in the app's own table", () => {
    const source = readFileSync(join(root, "web", "src", "pages.tsx"), "utf8");
    const routes = [...source.matchAll(/\bpath: "([^"]+)"/g)].map(([, path = ""]) => path);
    const asFastifyWrites = routes.map((path) => path.replaceAll("$", ":"));
    expect(asFastifyWrites.toSorted()).toEqual(WEB_PAGES.toSorted());
  });

  it("are answered with one document that contains no user data", async () => {
    const server = await openServer();
    const documents = new Set<string>();
    for (const path of paths) {
      for (const token of [null, server.tokens.ann.read, "belay_forged"]) {
        const { status, headers, text } = await server.ask("GET", path, { token });
        expect([path, status, headers.get("content-type")]).toEqual([
          path,
          200,
          "text/html; charset=utf-8",
        ]);
        expect(headers.get("set-cookie")).toBeNull();
        documents.add(text);
      }
    }
    expect([...documents]).toEqual([expect.stringContaining('<div id="root">')]);
  });

  it("allow only our own scripts, styles and connections, and no framing", async () => {
    const server = await openServer();
    for (const path of paths) {
      const { headers, text } = await server.ask("GET", path, nobody);
      expect((headers.get("content-security-policy") ?? "").split("; ")).toEqual([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
      ]);
      expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("cache-control")).toBe("no-store");
      // Nothing that the policy would refuse is in the document either.
      expect(text).not.toMatch(/<script(?![^>]*\ssrc="\/assets\/)|<style|\son\w+=|style=/);
    }
  });

  it("may be opened from any page, but not read or written by it", async () => {
    const { port } = await openServer();
    const link = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    const status = async (method: string, path: string, headers: Record<string, string>) =>
      (await send(port, method, path, { headers })).status;
    for (const path of paths) {
      expect([path, await status("GET", path, link)]).toEqual([path, 200]);
      const read = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" };
      expect([path, await status("GET", path, read)]).toEqual([path, 403]);
      const asked = { ...link, host: "evil.example" };
      expect([path, await status("GET", path, asked)]).toEqual([path, 421]);
      expect([path, await status("POST", path, link)]).toEqual([path, 403]);
    }
    for (const path of ["/sessions", "/events", "/graphql", "/health", "/nothing"]) {
      expect([path, await status("GET", path, link)]).toEqual([path, 403]);
    }
  });
});

describe("the files of the web page", () => {
  it("are served under permanent names, compressed for clients that support it", async () => {
    const { port } = await openServer();
    const names = readdirSync(ASSETS);
    expect(names).toContain("belay.svg");
    for (const name of names) {
      const path = `/assets/${name}`;
      const plain = await send(port, "GET", path, { headers: {} });
      const bytes = readFileSync(join(ASSETS, name), "utf8");
      expect([name, plain.status, plain.text === bytes]).toEqual([name, 200, true]);
      expect(plain.headers["content-encoding"]).toBeUndefined();
      expect(plain.headers.vary).toBe("accept-encoding");
      expect(plain.headers["cache-control"]).toBe(
        name === "belay.svg" ? "public, max-age=3600" : "public, max-age=31536000, immutable",
      );
      expect(plain.headers["x-content-type-options"]).toBe("nosniff");
    }
  });

  it("have the same content compressed", async () => {
    const server = await openServer();
    const [name = ""] = readdirSync(ASSETS).filter((each) => each.endsWith(".js"));
    const response = await fetch(`${server.url}/assets/${name}`, {
      headers: { "accept-encoding": "gzip, br" },
    });
    expect(response.headers.get("content-encoding")).toBe("gzip");
    expect(response.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(await response.text()).toBe(readFileSync(join(ASSETS, name), "utf8"));
  });

  it.each([
    "",
    "..",
    ".",
    "index.html",
    "..%2findex.html",
    "%2e%2e%2findex.html",
    "..%5cindex.html",
    "..%2f..%2f..%2fpackage.json",
    "%2fetc%2fpasswd",
    "belay.svg%00",
    "belay.svg%2f",
    "belay.svg/",
    "BELAY.SVG",
    "constructor",
    "__proto__",
    "constructor.js",
    "nothing.js",
    ".svg",
  ])("do not include %j", async (name) => {
    const { port, tokens } = await openServer();
    const authorization = `Bearer ${tokens.ann.admin}`;
    const { status } = await send(port, "GET", `/assets/${name}`, { headers: { authorization } });
    expect(status).toBe(404);
  });
});

describe("the requests of the web page", () => {
  it("exist on the server, each operation at its own route", () => {
    const own = Object.entries(OWN_OPERATIONS).map(([name, { route }]) => [name, route]);
    const known = Object.entries(ROUTES).map(([name, { method, path }]) => [
      name,
      `${method} ${path}`,
    ]);
    const routes = Object.fromEntries([...known, ...own]);
    for (const [name, route] of Object.entries(CALLS)) {
      expect([name, route]).toEqual([name, routes[name]]);
    }
  });
});
