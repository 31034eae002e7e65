import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openBrowser, type Visitor } from "../../browser/open-browser.ts";
import { CLIENT, openProvider, type TestProvider } from "../../http/open-provider.ts";
import {
  endAll,
  newPlace,
  type RealServer,
  runBelay,
  serve,
  textOf,
} from "../../serve/server-process.ts";
import { countStreams, openPage, SOON } from "./web-lab.ts";

/** In the title of bob's session. */
const CANARY = "Secret plans of bob";

/** Remembers whether the document shows it, even for a moment. */
const WATCH = `new MutationObserver(() => {
  if (document.body.textContent.includes(${JSON.stringify(CANARY)})) window.hasShown = true;
}).observe(document, { subtree: true, childList: true, characterData: true })`;

const place = newPlace();
let provider: TestProvider;
let server: RealServer;
let session = "";
beforeAll(async () => {
  provider = await openProvider();
  server = await serve(place, {
    env: {
      BELAY_OIDC_ISSUER: provider.issuer,
      BELAY_OIDC_CLIENT_ID: CLIENT.id,
      BELAY_OIDC_CLIENT_SECRET: CLIENT.secret,
      BELAY_OIDC_NAME: "Example & Co",
    },
  });
  provider.serve(server.url);
  for (const name of ["bob", "eve"]) {
    const identities = [`${provider.issuer}#${name}-at-work`];
    await server.ask("POST", "/people", { body: { name, identities } });
  }
  const made = await runBelay(place, ["token", "create", "--owner", "bob", "--json"]);
  const token = textOf(made.json, "token");
  const body = { agent_name: "elsewhere", title: CANARY };
  session = textOf((await server.ask("POST", "/sessions", { body, token })).json, "session_id");
});
afterAll(async () => {
  await endAll();
  place.remove();
});

describe("a browser that logs in with the company's account", () => {
  it("logs out of both, in all its tabs, and shows nothing of the session afterwards", async () => {
    const visitor = await openBrowser();
    visitor.expects(/401|favicon/);
    const page = await openPage(visitor, `${server.url}/login`);
    const before = provider.asked;
    await logIn(page);
    await page.getByText(CANARY).click();
    await page.getByRole("heading", { name: CANARY }).waitFor();
    const other = await openPage(visitor, `${server.url}/`);
    await other.getByText(CANARY).waitFor();
    await other.getByRole("link", { name: "Inbox" }).click();
    await other.getByRole("heading", { name: "Inbox is empty" }).waitFor();
    await expect.poll(() => countStreams({ server }), SOON).toBeGreaterThan(0);
    const token = String(await page.evaluate("localStorage.getItem('belay.token')"));
    expect(await askEverywhere(token)).toEqual([200, 200, 200, 200]);

    await logOut(page);
    const asked = await atProvider(page);
    expect(asked.get("post_logout_redirect_uri")).toBe(`${server.url}/login`);
    expect(readClaims(String(asked.get("id_token_hint")))).toMatchObject({
      aud: CLIENT.id,
      sub: "bob-at-work",
    });
    // Belay's own login ends whether or not the person also logs out of the provider.
    expect(await askEverywhere(token)).toEqual([401, 401, 401, 401]);
    await expect.poll(() => countStreams({ server }), { timeout: 2000 }).toBe(0);
    await expectNothing(other);
    await page.getByRole("button", { name: "Yes, log out" }).click();
    await page.waitForURL(`${server.url}/login`);
    await expectNothing(page);
    for (const tab of [page, other]) {
      await tab.evaluate(WATCH);
      await tab.goBack();
      await expectNothing(tab);
      expect(await tab.evaluate("window.hasShown ?? false")).toBe(false);
      await tab.reload();
      await expectNothing(tab);
    }
    expect(await page.evaluate("localStorage.length + sessionStorage.length")).toBe(0);

    // The provider has forgotten the browser too, so it asks, and another person can log in.
    provider.account = "eve-at-work";
    await logIn(page);
    expect(provider.asked).toBe(before + 2);
    await page.getByRole("heading", { name: "No sessions yet" }).waitFor();
    provider.account = "bob-at-work";
  });

  it("is still logged in at the provider if the person does not confirm there", async () => {
    const { page } = await logInFresh();
    const before = provider.asked;
    await logOut(page);
    await atProvider(page);
    await page.goto(`${server.url}/login`);
    await logIn(page);
    expect(provider.asked).toBe(before);
  });
});

async function logInFresh(): Promise<{ readonly page: Page; readonly visitor: Visitor }> {
  const visitor = await openBrowser();
  visitor.expects(/401|favicon/);
  const page = await openPage(visitor, `${server.url}/login`);
  await logIn(page);
  return { page, visitor };
}

async function logIn(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Log in with Example & Co" }).click();
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
}

async function logOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Settings" }).click();
  await page.getByRole("menuitem", { name: "Log out" }).click();
}

/** Waits for the provider's page, and returns the query of its address. */
async function atProvider(page: Page): Promise<URLSearchParams> {
  await page.waitForURL((url) => url.origin === provider.issuer);
  return new URL(page.url()).searchParams;
}

/** The login page, without anything of a session. */
async function expectNothing(page: Page): Promise<void> {
  await page.waitForURL(`${server.url}/login`);
  await page.getByText("This browser is not logged in.").waitFor();
  expect(await page.content()).not.toContain(CANARY);
}

/** The statuses of REST, a stream, GraphQL and MCP. */
async function askEverywhere(token: string): Promise<number[]> {
  const initialize = {
    ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
    params: {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "x", version: "1" },
    },
  };
  const asked = [
    server.ask("GET", `/sessions/${session}`, { token }),
    server.ask("GET", `/sessions/${session}/events`, { token }),
    server.ask("POST", "/graphql", { token, body: { query: "{ __typename }" } }),
    server.ask("POST", "/mcp", {
      token,
      body: initialize,
      headers: { accept: "application/json, text/event-stream" },
    }),
  ];
  return (await Promise.all(asked)).map(({ status }) => status);
}

function readClaims(token: string): unknown {
  return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString());
}
