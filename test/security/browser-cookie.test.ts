import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../browser/open-browser.ts";
import {
  endAll,
  newPlace,
  type RealServer,
  runBelay,
  serve,
  textOf,
} from "../serve/server-process.ts";

/** Another program listens on another port of the same host: a browser sends it the host's cookies. */
const place = newPlace();
const received: IncomingMessage["headers"][] = [];
const other = createServer((request, response) => {
  received.push(request.headers);
  if (request.url === "/away") {
    response.writeHead(302, { location: `${server.url}/sessions` }).end();
    return;
  }
  const cookies = [
    "belay_token=x; Path=/",
    "belay.token=x; Path=/",
    "belay_token=; Path=/; Max-Age=0",
  ];
  response.writeHead(200, { "content-type": "text/html", "set-cookie": cookies });
  response.end("<script>localStorage.setItem('belay.token', 'x'); localStorage.clear()</script>");
});
let server: RealServer;
let elsewhere = "";

beforeAll(async () => {
  server = await serve(place);
  await once(other.listen(0, "127.0.0.1"), "listening");
  const address = other.address();
  elsewhere = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
});

afterAll(async () => {
  other.closeAllConnections();
  other.close();
  await endAll();
  place.remove();
});

describe("a logged-in browser", () => {
  it("sends no credential to another port of the host, and keeps its login", async () => {
    const visitor = await openBrowser();
    visitor.expects(/Failed to load resource|Refused|blocked/i);
    const page = await visitor.context.newPage();
    await page.goto(textOf((await runBelay(place, ["login", "--json"])).json, "url"));
    await page.getByRole("navigation", { name: "Pages" }).waitFor();
    const token = String(await page.evaluate("localStorage.getItem('belay.token')"));
    expect(token).toMatch(/^belay_/);

    // By a link, by a redirect, and by a request of a page there to this server.
    await page.goto(`${elsewhere}/`);
    await page.goto(`${elsewhere}/away`);
    await page.goto(`${elsewhere}/`);
    const asked = `Promise.all(["/sessions", "/logout"].map((path) =>
      fetch("${server.url}" + path, { method: path === "/logout" ? "POST" : "GET", credentials: "include", mode: "no-cors" })
        .then(() => "sent", () => "failed")))`;
    await page.evaluate(asked);
    expect(received.length).toBeGreaterThanOrEqual(3);
    expect(JSON.stringify(received)).not.toContain(token.slice(-43));
    for (const { authorization, cookie = "" } of received) {
      expect(authorization).toBeUndefined();
      const replayed = await fetch(`${server.url}/sessions`, { headers: { cookie } });
      expect(replayed.status).toBe(401);
    }

    await page.goto(`${server.url}/inbox`);
    await page.getByRole("navigation", { name: "Pages" }).waitFor();
    expect(await page.evaluate("localStorage.getItem('belay.token')")).toBe(token);
  });

  it("is not logged in by a cookie, even one with its token", async () => {
    const token = textOf(
      (await server.ask("POST", "/tokens", { body: { scope: "write" } })).json,
      "token",
    );
    for (const site of ["same-origin", "none"]) {
      const headers = { cookie: `belay_token=${token}`, "sec-fetch-site": site };
      expect((await fetch(`${server.url}/sessions`, { headers })).status).toBe(401);
    }
    const let_in = { authorization: `Bearer ${token}` };
    expect((await fetch(`${server.url}/sessions`, { headers: let_in })).status).toBe(200);
  });
});
