import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { openBrowser, type Visitor } from "../../browser/open-browser.ts";
import { runBelay, textOf } from "../../serve/server-process.ts";
import { findViolations } from "./find-violations.ts";
import { approvalOf, begin, openPage, openWebLab, send, visit } from "./web-lab.ts";

const PEOPLE = { vera: "viewer", axel: "approver", edda: "editor" } as const;
const TITLE = "Deploy the shop";

/** The buttons of the demo agent's options. */
const [ALLOW, REJECT] = ["Allow (approves once)", "Reject (rejects)"] as const;

const lab = openWebLab();

it("each role sees only the actions that it may use, and who shares the session", async () => {
  const id = await begin(lab, { title: TITLE }, "/say hello");
  for (const [name, role] of Object.entries(PEOPLE)) {
    await lab.server.ask("POST", "/people", { body: { name, display_name: `Person ${name}` } });
    await lab.server.ask("POST", `/sessions/${id}/shares`, { body: { with: name, role } });
  }
  await send(lab, id, "/run echo deployed");
  await approvalOf(lab, id);
  const path = `/s/${encodeURIComponent(`local/${id}`)}`;

  const viewer = await openAs("vera", path);
  await viewer.page.getByText("shared by local, you are a viewer").waitFor();
  await viewer.page.getByText("This session is shared with you as a viewer.").waitFor();
  await viewer.page.getByText("An approver, an editor or local can answer.").waitFor();
  expect(await shownButtons(viewer.page)).toEqual(["More actions"]);
  expect(await viewer.page.getByRole("textbox").count()).toBe(0);
  // The first message is the owner's, not the reader's.
  expect(await viewer.page.getByRole("article", { name: "You" }).count()).toBe(0);
  expect(await viewer.page.getByRole("article", { name: "local" }).count()).toBe(2);
  expect(await menuOf(viewer.page)).toEqual(["Copy id"]);
  await viewer.page.getByText("needs an answer", { exact: true }).waitFor();
  expect(await findViolations(viewer.page, null)).toEqual([]);

  const approver = await openAs("axel", path);
  await approver.page.getByText("shared by local, you are an approver").waitFor();
  expect(await shownButtons(approver.page)).toEqual(["More actions", ALLOW, REJECT]);
  expect(await approver.page.getByLabel("Message to the agent").count()).toBe(0);
  expect(await menuOf(approver.page)).toEqual(["Copy id"]);

  const editor = await openAs("edda", path);
  await editor.page.getByText("shared by local, you are an editor").waitFor();
  const buttons = await shownButtons(editor.page);
  for (const name of ["Suspend", ALLOW, REJECT, "Queue"]) expect(buttons).toContain(name);
  for (const name of ["Always allow (approves always)", "Add file (up to 64 MB)"])
    expect(buttons).not.toContain(name);
  expect(await menuOf(editor.page)).toEqual(["Fork from the end", "Copy id", "Suspend"]);

  await viewer.page.getByRole("link", { name: "Inbox", exact: true }).click();
  await viewer.page.getByRole("heading", { name: "Inbox is empty" }).waitFor();
  expect(await viewer.page.title()).toBe("Inbox · Belay");
  // Only the owner answers the question about a merge, so it does not count for an approver.
  const merge = await askAboutMerge("axel");
  await approver.page.getByRole("link", { name: "Inbox 1", exact: true }).click();
  await approver.page.getByRole("button", { name: ALLOW, exact: true }).waitFor();
  await approver.page.getByText("1 waiting for you").waitFor();
  expect(await approver.page.title()).toBe("(1) Inbox · Belay");
  const other = await openPage(
    approver.visitor,
    `${lab.server.url}/s/${encodeURIComponent(`local/${merge}`)}`,
  );
  await other.getByText("Only local can answer.").waitFor();
  expect(await other.getByRole("button", { name: "Approve" }).count()).toBe(0);
  expect(await approver.page.getByRole("button", { name: "approves always" }).count()).toBe(0);

  await viewer.page.getByRole("link", { name: "Sessions" }).click();
  await viewer.page.getByText("shared by local").last().waitFor();
  // Only those who can answer are told that the session needs them.
  await viewer.page.getByText("needs an answer", { exact: true }).waitFor();
  await approver.page.getByRole("link", { name: "Sessions" }).click();
  const asking = approver.page.getByRole("row").filter({ hasText: TITLE });
  await asking.getByText("needs you", { exact: true }).waitFor();
  await viewer.page.getByRole("button", { name: `Actions for ${TITLE}` }).click();
  await viewer.page.getByRole("menu").getByText("A viewer can only read it.").waitFor();
}, 90_000);

it("a page of a session that is no longer shared says so and offers nothing else", async () => {
  const id = await begin(lab, { title: "Shared for a while" }, "/say hello");
  await lab.server.ask("POST", "/people", { body: { name: "vera" } });
  await lab.server.ask("POST", `/sessions/${id}/shares`, { body: { with: "vera" } });
  const { page, visitor } = await openAs("vera", `/s/${encodeURIComponent(`local/${id}`)}`);
  visitor.expects(/404/);
  await page.getByRole("heading", { name: "Shared for a while" }).waitFor();
  await lab.server.ask("POST", `/sessions/${id}/unshare`, { body: { with: "vera" } });
  await page.getByRole("heading", { name: "Session not found" }).waitFor();
  await page.getByText("no longer shared with you").waitFor();
  expect(await page.getByRole("main").innerText()).not.toMatch(/GET \/|Send|Suspend/);
}, 60_000);

it("an open list drops a session that is no longer shared", async () => {
  const id = await begin(lab, { title: "Listed for a while" });
  await lab.server.ask("POST", "/people", { body: { name: "vera" } });
  await lab.server.ask("POST", `/sessions/${id}/shares`, { body: { with: "vera" } });
  const { page } = await openAs("vera", "/");
  const row = page.getByRole("link", { name: "Listed for a while" });
  await row.waitFor();
  await lab.server.ask("POST", `/sessions/${id}/unshare`, { body: { with: "vera" } });
  await row.waitFor({ state: "detached", timeout: 15_000 });
}, 60_000);

it("an open inbox drops the question of a session that is no longer shared, and refuses an answer in plain words", async () => {
  await lab.server.ask("POST", "/people", { body: { name: "ines" } });
  const ids = [await begin(lab, { title: "First" }), await begin(lab, { title: "Second" })];
  for (const id of ids) {
    await lab.server.ask("POST", `/sessions/${id}/shares`, {
      body: { with: "ines", role: "approver" },
    });
    await send(lab, id, "/run echo deployed");
    await approvalOf(lab, id);
  }
  const unshare = (id: string | undefined) =>
    lab.server.ask("POST", `/sessions/${id}/unshare`, { body: { with: "ines" } });
  const { page, visitor } = await openAs("ines", "/inbox");
  visitor.expects(/status of 404/);
  await page.getByText("2 waiting for you").waitFor();
  const shown = page.getByRole("region", { name: "execute: echo deployed" });
  const isFirst = (await shown.getByRole("link", { name: "First" }).count()) === 1;
  const [now, later] = isFirst ? ids : ids.toReversed();
  await unshare(now);
  await shown.getByText("This question is closed.").waitFor();
  await page.getByText("1 waiting for you").waitFor();
  // From now on, the page does not learn which sessions are shared with it.
  await page.route("**/shared", () => {});
  await shown.getByRole("button", { name: "Done" }).click();
  await shown.getByRole("button", { name: ALLOW, exact: true }).waitFor();
  await unshare(later);
  await shown.getByRole("button", { name: ALLOW, exact: true }).click();
  await shown.getByText("its session is no longer shared with you").waitFor();
  expect(await shown.innerText()).not.toContain("GET /");
}, 60_000);

it("the share dialog starts again with the least role, and lists others by their names", async () => {
  await lab.server.ask("POST", "/people", { body: { name: "vera", display_name: "Person vera" } });
  const id = await begin(lab, { title: "To be shared twice" });
  const { page } = await visit(lab, `/s/${id}`);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Share …" }).click();
  const dialog = page.getByRole("dialog", { name: "Share session" });
  const people = dialog.getByLabel("Share with");
  await people.getByText("Person vera (vera)").waitFor({ state: "attached" });
  // Nobody can share a session with themselves.
  expect(await people.locator("option[value=local]").count()).toBe(0);
  await people.selectOption("vera");
  await dialog.getByLabel("Role").selectOption("editor");
  await dialog.getByLabel("Expires").selectOption("7d");
  await dialog.getByRole("button", { name: "Share", exact: true }).click();
  await dialog.getByText("Person vera (vera), editor").waitFor();
  expect(await dialog.getByLabel("Role").inputValue()).toBe("viewer");
  expect(await dialog.getByLabel("Expires").inputValue()).toBe("");
}, 60_000);

it("the share dialog keeps a long name inside on a phone", async () => {
  const display_name = "A person with a very long name ".repeat(3).trim();
  await lab.server.ask("POST", "/people", { body: { name: "lena", display_name } });
  const id = await begin(lab, { title: "To be shared on a phone" });
  const { page } = await visit(lab, `/s/${id}`, { viewport: { width: 390, height: 844 } });
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Share …" }).click();
  const dialog = page.getByRole("dialog", { name: "Share session" });
  const people = dialog.getByLabel("Share with");
  await people.getByText(display_name).waitFor({ state: "attached" });
  const [outer, inner] = await Promise.all([dialog.boundingBox(), people.boundingBox()]);
  if (!outer || !inner) throw new Error("both are shown");
  expect(inner.x + inner.width).toBeLessThan(outer.x + outer.width);
}, 60_000);

it("shows members no commands for a terminal, because these act as the user of the data folder", async () => {
  await lab.server.ask("POST", "/people", { body: { name: "mia" } });
  const { page, visitor } = await openAs("mia", "/");
  visitor.expects(/status of 403/);
  await page.getByText("Sessions that others share with you appear here too.").waitFor();
  const empty = {
    "/inbox": "Inbox is empty",
    "/recovery": "Nothing was interrupted",
    "/numbers": "No sessions in this period",
    "/past": "Nothing recorded yet",
    "/import": "Import",
    "/audit-log": "No entries",
  };
  expect(await page.getByRole("main").innerText()).not.toMatch(COMMAND);
  for (const [path, title] of Object.entries(empty)) {
    await page.goto(`${lab.server.url}${path}`);
    await page.getByRole("heading", { name: title, exact: true }).waitFor();
    expect(await page.getByRole("main").innerText()).not.toMatch(COMMAND);
  }
  const made = await runBelay(lab.place, ["token", "create", "--owner", "mia", "--json"]);
  const body = { session_id: "of-mia", agent_name: "elsewhere" };
  await lab.server.ask("POST", "/sessions", { body, token: textOf(made.json, "token") });
  await page.goto(`${lab.server.url}/s/of-mia`);
  expect(await menuOf(page)).not.toContain("Continue in a terminal …");
  await page.goto(`${lab.server.url}/s/of-mia/branches`);
  await page.getByText("No checkpoints yet.").waitFor();
  expect(await page.getByRole("main").innerText()).not.toMatch(COMMAND);
}, 60_000);

const COMMAND = /\bbelay [a-z]/;

/** A session that asks about a merge, and that this person may see as an approver; returns its id. */
async function askAboutMerge(name: string): Promise<string> {
  const ask = (path: string, body: object) => lab.server.ask("POST", path, { body });
  const id = await begin(lab, { title: "Asks about a merge" });
  const fork = textOf((await ask(`/sessions/${id}/fork`, {})).json, "session_id");
  for (const [each, color] of Object.entries({ [id]: "red", [fork]: "blue" })) {
    await lab.server.ask("PATCH", `/sessions/${each}`, { body: { metadata: { color } } });
  }
  await ask(`/sessions/${id}/shares`, { with: name, role: "approver" });
  await ask(`/sessions/${fork}/merge`, { rule: "ask" });
  await approvalOf(lab, id);
  return id;
}

/** A browser in which this person is logged in. */
async function openAs(
  name: string,
  path: string,
): Promise<{ readonly page: Page; readonly visitor: Visitor }> {
  const made = await runBelay(lab.place, ["token", "create", "--owner", name, "--json"]);
  const localStorage = [{ name: "belay.token", value: textOf(made.json, "token") }];
  const storageState = { cookies: [], origins: [{ origin: lab.server.url, localStorage }] };
  const visitor = await openBrowser({ storageState });
  return { page: await openPage(visitor, `${lab.server.url}${path}`), visitor };
}

/** The names of the buttons in the content of the page. */
async function shownButtons(page: Page): Promise<string[]> {
  const all = await page.getByRole("main").getByRole("button").all();
  const names = await Promise.all(
    all.map(async (button) => (await button.getAttribute("aria-label")) ?? button.innerText()),
  );
  return names.map((name) => name.replace(/\s+/g, " ").trim());
}

async function menuOf(page: Page): Promise<string[]> {
  await page.getByRole("button", { name: "More actions" }).click();
  const items = await page.getByRole("menuitem").allInnerTexts();
  await page.keyboard.press("Escape");
  return items;
}
