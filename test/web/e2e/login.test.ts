import { describe, expect, it } from "vitest";
import { openBrowser } from "../../browser/open-browser.ts";
import { runBelay, textOf } from "../../serve/server-process.ts";
import { countStreams, openWebLab, SOON, visit } from "./web-lab.ts";

const lab = openWebLab();
const UNAUTHORIZED = /status of 401/;

async function newLink(): Promise<string> {
  return textOf((await runBelay(lab.place, ["login", "--json"])).json, "url");
}

describe("a browser", () => {
  it("is logged in by the link that belay login prints, once; the code is gone from the address", async () => {
    const link = await newLink();
    const visitor = await openBrowser();
    const page = await visitor.context.newPage();
    await page.goto(link);
    await page.getByRole("navigation", { name: "Places" }).waitFor();
    expect(page.url()).toBe(`${lab.server.url}/`);
    expect(await page.evaluate("history.length")).toBeLessThanOrEqual(2);
    const sent = visitor.requested.join(" ");
    expect(sent).not.toContain(new URL(link).hash.slice(1));

    const [cookie, ...others] = await visitor.context.cookies();
    expect(others).toEqual([]);
    expect(cookie).toMatchObject({
      name: "belay_token",
      httpOnly: true,
      sameSite: "Strict",
      path: "/",
      expires: -1,
    });
    expect(await page.evaluate("document.cookie")).toBe("");

    const second = await openBrowser();
    second.expects(UNAUTHORIZED);
    const late = await second.context.newPage();
    await late.goto(link);
    await late.getByText("this code is not known, or no longer").waitFor();
    await late.getByText("npx belay login").waitFor();
    expect(late.url()).toBe(`${lab.server.url}/login`);
    expect(await second.context.cookies()).toEqual([]);
  });

  it("that is not logged in is told how to, wherever it comes", async () => {
    const visitor = await openBrowser();
    visitor.expects(UNAUTHORIZED);
    const page = await visitor.context.newPage();
    for (const path of ["/", "/inbox", "/s/none", "/numbers"]) {
      await page.goto(`${lab.server.url}${path}`);
      await page.waitForURL(`${lab.server.url}/login`);
      await page.getByText("This browser is not logged in.").waitFor();
      await page.getByText("npx belay login").waitFor();
    }
  });

  it("leaves by logging out, and its token is worth nothing any more", async () => {
    const { page, visitor } = await visit(lab, "/");
    const [cookie] = await visitor.context.cookies();
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("menuitem", { name: "Log out" }).click();
    await page.waitForURL(`${lab.server.url}/login`);
    expect(await visitor.context.cookies()).toEqual([]);
    const asked = await lab.server.ask("GET", "/sessions", { token: cookie?.value ?? "" });
    expect(asked.status).toBe(401);
  });

  it("whose token is revoked elsewhere sees the login within seconds, and its streams end", async () => {
    await expect.poll(() => countStreams(lab), SOON).toBe(0);
    const { page, visitor, token_id } = await visit(lab, "/");
    visitor.expects(UNAUTHORIZED);
    await expect.poll(() => countStreams(lab), SOON).toBe(1);
    const revoked = await runBelay(lab.place, ["token", "revoke", token_id]);
    expect(revoked.code).toBe(0);
    const at = performance.now();
    await page.waitForURL(`${lab.server.url}/login`);
    expect(performance.now() - at).toBeLessThan(8000);
    await expect.poll(() => countStreams(lab), SOON).toBe(0);
  });
});
