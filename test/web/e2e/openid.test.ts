import { expect, it } from "vitest";
import { openBrowser } from "../../browser/open-browser.ts";
import { CLIENT, openProvider } from "../../http/open-provider.ts";
import { endAll, newPlace, serve } from "../../serve/server-process.ts";
import { openPage } from "./web-lab.ts";

it("a person logs in with the company's account, sees their own sessions, and logs out of both", async () => {
  const provider = await openProvider();
  const place = newPlace();
  const env = {
    BELAY_OIDC_ISSUER: provider.issuer,
    BELAY_OIDC_CLIENT_ID: CLIENT.id,
    BELAY_OIDC_CLIENT_SECRET: CLIENT.secret,
    BELAY_OIDC_NAME: "Example & Co",
  };
  try {
    const server = await serve(place, { env });
    provider.serve(server.url);
    const identities = [`${provider.issuer}#bob-at-work`];
    await server.ask("POST", "/people", { body: { name: "bob", identities } });
    const visitor = await openBrowser({});
    visitor.expects(/401|favicon/);
    const page = await openPage(visitor, `${server.url}/login`);
    await page.getByRole("button", { name: "Log in with Example & Co" }).click();
    await page.waitForURL(`${server.url}/`);
    await page.getByRole("heading", { name: "No sessions yet" }).waitFor();
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("menuitem", { name: "Log out" }).click();
    await page.waitForURL((url) => url.origin === provider.issuer);
    const back = await openPage(visitor, `${server.url}/`);
    await back.getByText("This browser is not logged in.").waitFor();
    // The answer of the provider is removed from the address.
    expect(back.url()).toBe(`${server.url}/login`);
  } finally {
    await endAll();
    place.remove();
  }
}, 90_000);
