import { describe, expect, it } from "vitest";
import { openBrowser } from "../../browser/open-browser.ts";
import { MEASURED } from "../../patience.ts";
import { runBelay, textOf } from "../../serve/server-process.ts";
import { begin, countStreams, openPage, openWebLab, SOON, visit } from "./web-lab.ts";

const lab = openWebLab();
const UNAUTHORIZED = /status of 401/;

async function newLink(): Promise<string> {
  return textOf((await runBelay(lab.place, ["login", "--json"])).json, "url");
}

describe("a browser", () => {
  it("logs in once with the link of belay login; the code disappears from the address", async () => {
    const link = await newLink();
    const visitor = await openBrowser();
    const page = await visitor.context.newPage();
    await page.goto(link);
    await page.getByRole("navigation", { name: "Pages" }).waitFor();
    expect(page.url()).toBe(`${lab.server.url}/`);
    expect(await page.evaluate("history.length")).toBeLessThanOrEqual(2);
    const sent = visitor.requested.join(" ");
    expect(sent).not.toContain(new URL(link).hash.slice(1));

    expect(await visitor.context.cookies()).toEqual([]);

    const second = await openBrowser();
    second.expects(UNAUTHORIZED);
    const late = await second.context.newPage();
    await late.goto(link);
    await late.getByText("This link has expired or was already used.").waitFor();
    await late.getByText("npx belay login").waitFor();
    expect(late.url()).toBe(`${lab.server.url}/login`);
    expect(await late.evaluate("localStorage.length")).toBe(0);

    // A fresh link in the same tab only changes the part after the #.
    await late.goto(await newLink());
    await late.getByRole("navigation", { name: "Pages" }).waitFor();
    // A used link in a browser that is logged in leads to the app.
    await late.goto(link);
    await late.getByRole("navigation", { name: "Pages" }).waitFor();
  });

  it.each(["/", "//"])(
    "opens the requested page after the login, on this server: %s",
    async (start) => {
      const visitor = await openBrowser();
      visitor.expects(/status of 40[14]/);
      const page = await visitor.context.newPage();
      await page.goto(`${lab.server.url}${start}numbers?days=7`);
      await page.getByText("This browser is not logged in.").waitFor();
      await page.goto(await newLink());
      await page.waitForURL(`${lab.server.url}/numbers?days=7`);
      await page.getByRole("navigation", { name: "Pages" }).waitFor();
    },
  );

  it("gets a page for an unknown address, and a program gets a JSON error", async () => {
    const visitor = await openBrowser();
    visitor.expects(/status of 404/);
    const page = await visitor.context.newPage();
    const answer = await page.goto(`${lab.server.url}/no/such/place`);
    expect(answer?.status()).toBe(404);
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
    const asked = await lab.server.ask("GET", "/no/such/place");
    expect([asked.status, asked.json]).toMatchObject([404, { error: "route_not_found" }]);
  });

  it("finds a program by its code, however a person types it, and says what a code looks like", async () => {
    const started = await lab.server.ask("POST", "/login/device", { body: { name: "a build" } });
    const code = textOf(started.json, "user_code");
    const visitor = await openBrowser();
    visitor.expects(/status of 400/);
    const page = await openPage(visitor, await newLink());
    await page.getByRole("navigation", { name: "Pages" }).waitFor();
    await page.goto(`${lab.server.url}/device`);
    await page.getByLabel("Code").fill("bcdf");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("A code has 8 letters, such as BCDF-GHJK.").waitFor();
    await page.getByLabel("Code").fill(` ${code.toLowerCase().replace("-", " ")}`);
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByText("a build at the address 127.0.0.1").waitFor();
    await page.getByRole("button", { name: "Approve login" }).click();
    await page.getByText("The program is logged in.").waitFor();
  });

  it("keeps unsent text for the person who typed it, and shows it to nobody else", async () => {
    const id = await begin(lab, { title: "Of several people" });
    const linkFor = async (person: string) => {
      await lab.server.ask("POST", "/people", { body: { name: person } });
      const body = { with: person, role: "editor" };
      await lab.server.ask("POST", `/sessions/${id}/shares`, { body });
      const { json } = await lab.server.ask("POST", "/login/links", { body: { person } });
      return `${lab.server.url}${textOf(json, "path")}`;
    };
    const visitor = await openBrowser();
    visitor.expects(UNAUTHORIZED);
    const page = await visitor.context.newPage();
    await page.goto(await linkFor("eve"));
    await page.getByRole("link", { name: "Of several people" }).click();
    const composer = page.getByLabel("Message to the agent");
    await composer.fill("typed by eve");
    await lab.server.ask("POST", "/people/eve/disable", { body: {} });
    await page.getByText("This browser is not logged in.").waitFor();

    await page.goto(await linkFor("fay"));
    expect(await composer.inputValue()).toBe("");
    // A link replaces the login of this browser without a logout.
    await page.goto(await linkFor("eve"));
    await page.getByRole("link", { name: "Of several people" }).click();
    expect(await composer.inputValue()).toBe("typed by eve");
  });

  it("that is not logged in gets instructions at every address", async () => {
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

  it("shows under Settings who is logged in, also on a phone", async () => {
    const loggedInAs = async (width: number) => {
      const { page } = await visit(lab, "/", { viewport: { width, height: 640 } });
      await page.getByRole("button", { name: "Settings" }).click();
      const line = page.getByRole("menu").getByText("Logged in as");
      const box = await line.boundingBox();
      expect(box && box.x >= 0 && box.x + box.width <= width).toBe(true);
      return line.innerText();
    };
    // The user who runs the server is its admin before anyone is on record.
    expect(await loggedInAs(1280)).toBe("Logged in as local, admin");
    const body = { name: "local", display_name: "Lo Cal", role: "admin" };
    await lab.server.ask("POST", "/people", { body });
    expect(await loggedInAs(360)).toBe("Logged in as Lo Cal (local), admin");
  });

  it("logs out, its token becomes invalid, and every tab forgets unsent messages", async () => {
    const { page, visitor } = await visit(lab, "/");
    visitor.expects(UNAUTHORIZED);
    const id = await begin(lab);
    const other = await openPage(visitor, `${lab.server.url}/s/${id}`);
    await other.getByRole("textbox").last().fill("not sent yet");
    expect(await other.evaluate("JSON.stringify(sessionStorage)")).toContain("not sent yet");
    const token = String(await page.evaluate("localStorage.getItem('belay.token')"));
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("menuitem", { name: "Log out" }).click();
    await page.waitForURL(`${lab.server.url}/login`);
    expect(await page.evaluate("localStorage.getItem('belay.token')")).toBeNull();
    await other.waitForURL(`${lab.server.url}/login`);
    expect(await other.evaluate("JSON.stringify(sessionStorage)")).not.toContain("not sent yet");
    const asked = await lab.server.ask("GET", "/sessions", { token });
    expect(asked.status).toBe(401);
  });

  it("says that it is still logged in if the server does not answer", async () => {
    const { page, visitor } = await visit(lab, "/");
    visitor.expects(/ERR_FAILED/);
    await page.route("**/logout", (route) => route.abort());
    await page.getByRole("button", { name: "Settings" }).click();
    await page.getByRole("menuitem", { name: "Log out" }).click();
    await page.getByText("You are still logged in. The server does not answer.").waitFor();
  });

  it(
    "shows the login within seconds after its token is revoked elsewhere, and its streams end",
    MEASURED,
    async () => {
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
    },
  );
});
