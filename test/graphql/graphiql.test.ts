import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { GRAPHIQL_ASSETS } from "../../src/doors/http/graphiql/graphiql-assets.ts";
import { root } from "../architecture/list-files.ts";
import { openBrowser } from "../browser/open-browser.ts";
import { openServer } from "../http/open-server.ts";
import { send } from "../http/send.ts";
import { begin, CALLER } from "./begin-session.ts";

const HTML = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

function asBrowser(accept = HTML) {
  return { token: null, headers: { accept } };
}

describe("GET /graphql", () => {
  it("shows GraphiQL to a browser; like every page it contains no user data", async () => {
    const server = await openServer();
    const { status, headers, text } = await send(server.port, "GET", "/graphql", asBrowser());
    expect([status, headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    expect(headers["cache-control"]).toBe("no-store");
    expect(text).toContain("GraphiQL.createFetcher");
  });

  it("lets the page load only from this server, and run only our scripts", async () => {
    const server = await openServer();
    const { headers, text } = await send(server.port, "GET", "/graphql", asBrowser());
    const policy = String(headers["content-security-policy"]).split("; ");
    expect(policy).toEqual([
      "default-src 'none'",
      expect.stringMatching(/^script-src 'self' 'sha256-[\w+/]{43}='$/),
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data:",
      "font-src data:",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    const loaded = [...text.matchAll(/(?:src|href)="(?!data:)([^"]*)"/g)].map(([, url]) => url);
    expect(loaded.toSorted()).toEqual(
      Object.keys(GRAPHIQL_ASSETS)
        .map((name) => `/graphql/assets/${name}`)
        .toSorted(),
    );
  });

  it("shows no page to a program, requires a token, and answers no query", async () => {
    const server = await openServer();
    const token = await server.ask("GET", "/graphql", { headers: { accept: HTML } });
    expect([token.status, token.json]).toMatchObject([405, { error: "wrong_method" }]);
    for (const accept of ["application/json", "*/*"]) {
      const path = "/graphql?query=%7Bagents%7D";
      expect((await server.ask("GET", path, asBrowser(accept))).status).toBe(401);
      const { status, headers } = await server.ask("GET", path, { headers: { accept } });
      expect([accept, status, headers.get("allow")]).toEqual([accept, 405, "POST"]);
    }
  });
});

describe("GET /graphql/assets", () => {
  it("serves the files of the page as they are in their packages", async () => {
    const server = await openServer();
    for (const [name, { from, type }] of Object.entries(GRAPHIQL_ASSETS)) {
      const asked = asBrowser("*/*");
      const { status, headers, text } = await server.ask("GET", `/graphql/assets/${name}`, asked);
      expect([name, status, headers.get("content-type")]).toEqual([name, 200, type]);
      expect(text === readFileSync(join(root, "node_modules", from, name), "utf8")).toBe(true);
    }
  });

  it("is copied by the build, file by file", () => {
    const build = readFileSync(join(root, "rolldown.config.ts"), "utf8");
    for (const [name, { from }] of Object.entries(GRAPHIQL_ASSETS)) {
      expect(build).toContain(`"${from}/${name}"`);
    }
  });

  it.each([
    "graphiql.min.js.map",
    "GRAPHIQL.MIN.JS",
    "graphiql.LICENSE",
    "constructor",
    "__proto__",
    "",
    "..",
    "%2e%2e%2f%2e%2e%2fpackage.json",
    "..%2f..%2f..%2fpackage.json",
    "..%5c..%5cpackage.json",
    "%2fetc%2fpasswd",
    "graphiql.min.js%00",
    "graphiql.min.js/",
    "x/../graphiql.min.js/..",
  ])("does not have %j", async (name) => {
    const server = await openServer();
    const headers = { authorization: `Bearer ${server.tokens.ann.admin}` };
    const { status } = await send(server.port, "GET", `/graphql/assets/${name}`, { headers });
    expect(status).toBe(404);
  });
});

describe("GraphiQL in a browser", () => {
  it("queries and subscribes with the token of the login, and loads nothing from other hosts", async () => {
    const server = await openServer();
    const id = await begin(server);
    const visitor = await openBrowser();
    const page = await visitor.context.newPage();
    await page.goto(`${server.url}/login#${await server.loginCode()}`);
    await page.getByRole("navigation", { name: "Pages" }).waitFor();

    await page.goto(`${server.url}/graphql`);
    await page.getByLabel("Show Documentation Explorer").click();
    // They appear once GraphiQL has loaded the schema.
    await page.getByText("Root Types").waitFor();

    await ask(page, `{ agentSession(sessionId: "${id}") { agentName } }`);
    await until(page, `${ANSWER}.includes('"agentName": "elsewhere"')`);

    await ask(page, `subscription { agentSessionEvents(sessionId: "${id}") { seq type } }`);
    await until(page, `${ANSWER}.includes("session.created")`);
    await server.service.call("rename", { id, title: "Seen" }, CALLER);
    await until(page, `${ANSWER}.includes('"seq": 2')`);

    // Dialogs bring styles of their own.
    await page.getByLabel("Open settings dialog").click();
    await page.getByRole("dialog").waitFor();

    const hosts = visitor.requested.filter((url) => !url.startsWith("data:")).map(hostOf);
    expect(new Set(hosts)).toEqual(new Set([hostOf(server.url)]));
    expect(visitor.requested).toContain(`ws://${hostOf(server.url)}/graphql`);
  });
});

describe("GraphiQL after a logout in another tab", () => {
  it("shows and stores nothing of the person any more", async () => {
    const server = await openServer();
    const id = await begin(server);
    const { context } = await openBrowser();
    const page = await context.newPage();
    await page.goto(`${server.url}/login#${await server.loginCode()}`);
    await page.getByRole("navigation", { name: "Pages" }).waitFor();
    const graphiql = await context.newPage();
    await graphiql.goto(`${server.url}/graphql`);
    await ask(graphiql, `{ agentSession(sessionId: "${id}") { agentName } }`);
    await until(graphiql, `${ANSWER}.includes('"agentName": "elsewhere"')`);
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("menuitem", { name: "Log out" }).click();
    await graphiql.waitForURL("**/login");
    expect(await graphiql.evaluate("Object.keys(localStorage).join()")).not.toContain("graphiql");
  });

  it("leaves the page when the server refuses its token", async () => {
    const server = await openServer();
    const { context, expects } = await openBrowser();
    expects(/401 \(Unauthorized\)/);
    const page = await context.newPage();
    await page.goto(`${server.url}/login#${await server.loginCode()}`);
    await page.getByRole("navigation", { name: "Pages" }).waitFor();
    await page.goto(`${server.url}/graphql`);
    await ask(page, "{ __typename }");
    await until(page, `${ANSWER}.includes("Query")`);
    const { tokens } = await server.service.call("list_tokens", {}, { ...CALLER, owner: "ann" });
    for (const { id, name } of tokens) if (name === "browser") await server.revoke(id);
    await page.locator(".graphiql-execute-button").click();
    await page.waitForURL("**/login");
  });
});

const ANSWER = `document.querySelector(".graphiql-response .CodeMirror").CodeMirror.getValue()`;

/** Types like a person, and clicks. */
async function ask(page: Page, query: string): Promise<void> {
  const editor = `document.querySelector(".graphiql-query-editor .CodeMirror").CodeMirror`;
  await page.evaluate(`${editor}.setValue(${JSON.stringify(query)})`);
  // GraphiQL reads typed text a moment later; until then a click sends the previous query.
  const read = `${editor}.documentAST?.loc?.source.body === ${JSON.stringify(query)}`;
  await until(page, read);
  await page.locator(".graphiql-execute-button").click();
}

/** The page's policy allows no polling inside it. */
async function until(page: Page, expression: string): Promise<void> {
  await expect.poll(() => page.evaluate(expression)).toBe(true);
}

function hostOf(url: string): string {
  return new URL(url).host;
}
