import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { openBrowser } from "../../browser/open-browser.ts";
import { textOf } from "../../serve/server-process.ts";
import { findViolations } from "./find-violations.ts";
import { openPage, openWebLab, SOON, settle } from "./web-lab.ts";

const lab = openWebLab();
const CANARY = "canary-in-a-title";
let id: string;

beforeAll(async () => {
  const { server } = lab;
  await server.ask("POST", "/people", { body: { name: "bob", display_name: "Bob Berg" } });
  const made = await server.ask("POST", "/sessions", { body: { agent_name: "elsewhere" } });
  id = textOf(made.json, "session_id");
  // More than one page of entries.
  for (let n = 0; n < 120; n += 1) {
    await server.ask("POST", `/sessions/${id}/rename`, { body: { title: `${CANARY} ${n}` } });
  }
  await server.ask("POST", `/sessions/${id}/shares`, { body: { with: "bob" } });
  const bob = textOf((await lab.server.ask("GET", `/sessions/${id}`)).json, "entity_id");
  const page = await logIn("bob", `/s/${bob}`);
  await page.getByText(CANARY).first().waitFor();
  const refused = await page.evaluate(
    `fetch("/sessions/${bob}/cancel", { method: "POST", headers: { authorization: "Bearer " + localStorage.getItem("belay.token") } }).then((answer) => answer.status)`,
  );
  expect(refused).toBe(403);
});

describe("the audit page", () => {
  it("shows an admin who did, saw and was refused what, by person, kind and session", async () => {
    const page = await logIn(undefined, "/");
    await page.keyboard.press("g");
    await page.keyboard.press("a");
    await page.getByRole("heading", { name: "Audit" }).waitFor();
    const entries = page.getByRole("list", { name: "Entries" }).getByRole("listitem");
    await expect.poll(() => entries.count(), SOON).toBe(100);
    await page.getByRole("button", { name: "Show earlier entries" }).click();
    await expect.poll(() => entries.count(), SOON).toBeGreaterThan(120);
    expect(await findViolations(page, null)).toEqual([]);

    await page.getByRole("link", { name: "Refusals" }).click();
    await expect.poll(() => entries.count(), SOON).toBe(1);
    expect(await entries.innerText()).toMatch(/bob.*access\.refused.*operation: cancel/s);
    await page.getByRole("link", { name: "Reads" }).click();
    await entries.getByText("session.seen").waitFor();
    await page.getByRole("link", { name: "All" }).first().click();
    await page.getByLabel("Person").fill("bob");
    await page.getByLabel("Person").press("Enter");
    await expect.poll(() => entries.count(), SOON).toBe(2);
    await page.getByRole("link", { name: "Everyone" }).click();
    await entries.getByText("token.created").first().waitFor();
    await page.getByLabel("Person").fill("nobody");
    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByText("Person not found: nobody.", { exact: true }).waitFor();
    expect(await findViolations(page, null)).toEqual([]);
    await page.getByRole("link", { name: "Clear" }).click();

    await page.getByRole("button", { name: "Check all hashes" }).click();
    await page.getByText(/^Checked up to .*: \d+ entries in \d+ logs/).waitFor();
    const files: Record<string, string> = {};
    for (const format of ["NDJSON", "CEF"]) {
      const [saved] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: `Export ${format}` }).click(),
      ]);
      files[saved.suggestedFilename()] = readFileSync(await saved.path(), "utf8");
    }
    expect(files["belay-audit.ndjson"]).toContain('"type":"access.refused"');
    expect(files["belay-audit.cef"]).toMatch(/^CEF:0\|Belay\|/);
    await page.emulateMedia({ colorScheme: "dark" });
    await page.locator("html[data-theme=dark]").waitFor();
    expect(await findViolations(page, ["color-contrast"])).toEqual([]);

    await page.goto(`${lab.server.url}/s/${id}`);
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Audit" }).click();
    await expect.poll(() => page.getByLabel("Session").inputValue(), SOON).toBe(id);
  }, 90_000);

  it("shows a member the entries of their own sessions, and nothing of others", async () => {
    const page = await logIn("bob", "/audit-log?days=all");
    await page.getByRole("heading", { name: "No entries" }).waitFor();
    expect(await findViolations(page, null)).toEqual([]);
    expect(await page.getByRole("link", { name: "Everyone" }).count()).toBe(0);
    const text = await page.locator("main").innerText();
    expect(text).not.toContain(CANARY);
    await page.goto(`${lab.server.url}/audit-log?everyone=true`);
    await page.getByText("bob is not an admin of this server.").waitFor();
  }, 90_000);
});

/** A browser that logs in with a one-time link, as a person does. */
async function logIn(person: string | undefined, path: string): Promise<Page> {
  const body = person === undefined ? {} : { person };
  const { json } = await lab.server.ask("POST", "/login/links", { body });
  const visitor = await openBrowser({});
  visitor.expects(/status of 40[34]/);
  const page = await openPage(visitor, `${lab.server.url}${textOf(json, "path")}`);
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
  await page.goto(`${lab.server.url}${path}`);
  await settle(page);
  return page;
}
