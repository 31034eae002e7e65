import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { begin, openWebLab, SOON, sessionOf, visit } from "./web-lab.ts";

const lab = openWebLab();
const shop = { cwd: join(lab.place.root, "shop"), repo: null, branch: "main" };
const blog = { cwd: join(lab.place.root, "blog"), repo: null, branch: "draft" };
/** The default list: a session that failed within 24 hours stays in it. */
const SHOWN = ["Fix the checkout", "Write about tents", "Went wrong"];
beforeAll(async () => {
  for (const { cwd } of [shop, blog]) mkdirSync(cwd);
  await begin(lab, { title: "Fix the checkout", project: shop, agent_name: "claude" });
  await begin(lab, { title: "Write about tents", project: blog, agent_name: "gemini" });
  const old = await begin(lab, { title: "Long ago", project: shop });
  await lab.server.ask("POST", `/sessions/${old}/archive`);
  const broken = await begin(lab, { title: "Went wrong", project: shop });
  await lab.server.ask("POST", `/sessions/${broken}/fail`, { body: { error: "no luck" } });
});

const isFocused = (each: { matches(selector: string): boolean }) => each.matches(":focus");

/** Waits until the visible titles are these. */
async function expectTitles(page: Page, titles: readonly string[]): Promise<void> {
  const links = page.getByRole("table", { name: "Sessions" }).getByRole("link");
  await expect
    .poll(async () => (await links.allInnerTexts()).toSorted(), SOON)
    .toEqual(titles.toSorted());
}

/** Clicks when the words have just reached the address and the page does not show them yet. */
const TYPE_AND_SEARCH_ALL = `{
  const field = document.querySelector("input[type=search]");
  const button = [...document.querySelectorAll("button")].find((each) => each.innerText === "Search all");
  const { setTimeout } = window;
  const timers = [];
  window.setTimeout = (run) => timers.push(run);
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, "Long ago");
  field.dispatchEvent(new Event("input", { bubbles: true }));
  window.setTimeout = setTimeout;
  for (const run of timers) run();
  button.click();
}`;

/** Clicks before the words have reached the address. The timer that would send them fires afterwards. */
const TYPE_AND_CLEAR = `{
  const field = document.querySelector("input[type=search]");
  const button = [...document.querySelectorAll("button")].find((each) => each.innerText === "Clear filters");
  const { setTimeout, clearTimeout } = window;
  const timers = new Map();
  window.setTimeout = (run, ms) => timers.set(-timers.size - 1, run) && -timers.size;
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, "tents");
  field.dispatchEvent(new Event("input", { bubbles: true }));
  window.setTimeout = setTimeout;
  window.clearTimeout = (id) => timers.delete(id) || clearTimeout.call(window, id);
  button.click();
  setTimeout(() => {
    for (const run of timers.values()) run();
    window.clearTimeout = clearTimeout;
    window.__fired = true;
  });
}`;

describe("the list of sessions", () => {
  it("shows open and newly failed sessions and counts the open ones; the rest on request", async () => {
    const { page } = await visit(lab, "/");
    await expectTitles(page, SHOWN);
    await page.getByRole("heading", { name: "Sessions 2 open or completed" }).waitFor();

    const failed = page.getByRole("row").filter({ hasText: "Went wrong" });
    await failed.getByText("failed", { exact: true }).waitFor();

    await page.getByRole("checkbox", { name: "Show archived" }).check();
    await expectTitles(page, [...SHOWN, "Long ago"]);
    expect(new URL(page.url()).search).toBe("?archived=true");
    await page.getByRole("heading", { name: "Sessions 2 open or completed" }).waitFor();
    await page.getByRole("checkbox", { name: "Show archived" }).uncheck();
    // Shortcuts still work outside text fields.
    await page.keyboard.press("/");
    expect(await page.getByRole("searchbox").evaluate(isFocused)).toBe(true);
    await page.getByLabel("Status").selectOption("failed");
    await expectTitles(page, ["Went wrong"]);
  });

  it("is filtered by its address, which can be sent, reloaded and returned to", async () => {
    const { page } = await visit(lab, "/?agent=claude");
    await expectTitles(page, ["Fix the checkout"]);
    await page.reload();
    await expectTitles(page, ["Fix the checkout"]);
    await page.getByRole("button", { name: "Clear filters" }).click();
    await expectTitles(page, SHOWN);
    await page.getByLabel("Project").selectOption(blog.cwd);
    await expectTitles(page, ["Write about tents"]);
    expect(new URL(page.url()).searchParams.get("project")).toBe(blog.cwd);
    await page.goBack();
    await expectTitles(page, SHOWN);
    await page.goBack();
    await expectTitles(page, ["Fix the checkout"]);
  });

  it("is searched while one types, without a history entry for every letter", async () => {
    const { page } = await visit(lab, "/");
    await expectTitles(page, SHOWN);
    const steps = await page.evaluate("history.length");
    await page.keyboard.press("/");
    await page.keyboard.type("TENTS about", { delay: 20 });
    await expectTitles(page, ["Write about tents"]);
    await expect.poll(() => new URL(page.url()).searchParams.get("q"), SOON).toBe("TENTS about");
    expect(await page.evaluate("history.length")).toBe(steps);
    await page.getByRole("searchbox").fill("no such words");
    await page.getByRole("button", { name: "Clear filters" }).first().waitFor();
    await page.getByRole("table").waitFor({ state: "detached" });
    await page.getByText("Archived and cancelled sessions").waitFor();
    await page.evaluate(TYPE_AND_SEARCH_ALL);
    await expectTitles(page, ["Long ago"]);
  });

  it("drops words that are still being typed when its filters are cleared", async () => {
    const { page } = await visit(lab, "/?agent=claude");
    await expectTitles(page, ["Fix the checkout"]);
    await page.evaluate(TYPE_AND_CLEAR);
    await page.waitForFunction("window.__fired");
    await expectTitles(page, SHOWN);
    expect(await page.getByRole("searchbox").inputValue()).toBe("");
    expect(new URL(page.url()).search).toBe("");
  });

  it("shows new, changed and removed sessions live", async () => {
    const { page } = await visit(lab, "/");
    await expectTitles(page, SHOWN);
    const id = await begin(lab, { title: "Just begun", project: shop });
    await expectTitles(page, [...SHOWN, "Just begun"]);
    await page.getByRole("heading", { name: "Sessions 3 open or completed" }).waitFor();
    await lab.server.ask("POST", `/sessions/${id}/rename`, { body: { title: "Renamed" } });
    await expectTitles(page, [...SHOWN, "Renamed"]);
    await lab.server.ask("POST", `/sessions/${id}/archive`);
    await expectTitles(page, SHOWN);
    await page.getByRole("heading", { name: "Sessions 2 open or completed" }).waitFor();
  });

  it("asks before a session is cancelled from its menu", async () => {
    const id = await begin(lab, { title: "To be cancelled", project: blog });
    const { page } = await visit(lab, "/");
    const row = page.getByRole("row").filter({ hasText: "To be cancelled" });
    const menu = row.getByRole("button");
    await menu.click();
    await page.getByRole("menuitem", { name: /^Cancel/ }).click();
    const dialog = page.getByRole("alertdialog");
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(await sessionOf(lab, id)).toMatchObject({ status: "created" });

    await menu.click();
    await page.getByRole("menuitem", { name: /^Cancel/ }).click();
    await dialog.getByRole("button", { name: /^Cancel/ }).click();
    await expect.poll(() => sessionOf(lab, id), SOON).toMatchObject({ status: "cancelled" });
    await row.waitFor({ state: "detached" });
  });

  it("starts a session with the demo agent and opens it", async () => {
    const { page, visitor } = await visit(lab, "/");
    visitor.expects(/status of 400/);
    await page.keyboard.press("c");
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Agent").selectOption({ value: "demo" });
    await dialog.getByLabel(/^Title/).fill("From the page");
    await dialog.getByLabel(/message/i).fill("/say begun from the page");
    await dialog.getByLabel(/^Folder/).fill("/no/such/folder");
    await dialog.getByRole("button", { name: "Start" }).click();
    await dialog.getByText("Folder not found: /no/such/folder").waitFor();
    await dialog.getByLabel(/^Folder/).fill("");
    await dialog.getByRole("button", { name: "Start" }).click();
    await page.waitForURL(/\/s\/[\w.:-]+$/);
    await page.getByText("begun from the page", { exact: true }).first().waitFor();
  });
});
