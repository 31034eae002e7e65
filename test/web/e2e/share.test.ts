import { expect, it } from "vitest";
import { openBrowser } from "../../browser/open-browser.ts";
import { textOf } from "../../serve/server-process.ts";
import { findViolations } from "./find-violations.ts";
import { approvalOf, begin, openPage, openWebLab, SOON, sessionOf, visit } from "./web-lab.ts";

const lab = openWebLab();
const SECRET = "correct-horse-battery";

it("a session is shared with a person in a role, and by a link that works without login until it is revoked", async () => {
  await lab.server.ask("POST", "/people", { body: { name: "bob", display_name: "Bob Berg" } });
  const message = `/say the password=${SECRET} is mine`;
  const id = await begin(lab, { title: "To be shared" }, message);
  await expect.poll(async () => (await sessionOf(lab, id)).activity, SOON).toBe("idle");
  const { page } = await visit(lab, `/s/${id}`);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Share …" }).click();
  const dialog = page.getByRole("dialog", { name: "Share session" });
  await dialog.getByLabel("Share with").selectOption("bob");
  await dialog.getByLabel("Role").selectOption("editor");
  await dialog.getByText("as powerful as a shell").waitFor();
  await dialog.getByRole("button", { name: "Share", exact: true }).click();
  await dialog.getByText("Bob Berg (bob), editor").waitFor();
  await dialog.getByRole("button", { name: "Stop sharing with bob" }).click();
  await dialog.getByText("This session is not shared.").waitFor();

  // The open dialog follows what someone changes elsewhere.
  const body = { with: "bob", role: "approver" };
  await lab.server.ask("POST", `/sessions/${id}/shares`, { body });
  await dialog.getByText("Bob Berg (bob), approver").waitFor();

  await dialog.getByRole("button", { name: "New public link …" }).click();
  await dialog
    .getByRole("list", { name: "Hidden secrets" })
    .getByText("password")
    .first()
    .waitFor();
  expect(await findViolations(page, null)).toEqual([]);
  await dialog.getByRole("button", { name: "Create link" }).click();
  const url = await dialog.locator("code").last().innerText();
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/link#/);

  const stranger = await openBrowser({});
  stranger.expects(/404 .*\/link$/);
  const shown = await openPage(stranger, url);
  await shown.getByRole("heading", { name: "To be shared" }).waitFor();
  await shown.getByText("is mine").first().waitFor();
  const text = await shown.locator("body").innerText();
  expect(text).not.toContain(SECRET);
  expect(text).toContain("[redacted:password]");
  expect(text).not.toMatch(/\bpid\b|undefined/);
  expect(await shown.getByRole("button", { name: "Fork here" }).count()).toBe(0);
  expect(await shown.getByRole("textbox").count()).toBe(0);
  expect(await findViolations(shown, null)).toEqual([]);
  // The secret is in no address that was asked for, and nothing else of the server was asked.
  const asked = stranger.requested.map((address) => new URL(address));
  expect(asked.filter(({ pathname }) => /^\/(sessions|events|counts)/.test(pathname))).toEqual([]);
  expect(asked.some(({ pathname }) => pathname === "/link")).toBe(true);
  expect(asked.some(({ search }) => search !== "")).toBe(false);

  await dialog.getByText(/opened \d time/).waitFor();
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await expect.poll(() => dialog.getByRole("button", { name: "Revoke" }).count(), SOON).toBe(0);
  // A revoked link is no longer offered, and another one can be created.
  await dialog.getByRole("button", { name: "New public link …" }).waitFor();
  expect(await dialog.locator("code").count()).toBe(0);
  await shown.reload();
  await shown.getByText("This link does not exist, has expired or was revoked.").waitFor();
}, 90_000);

it("the keyboard's focus stays in the dialog while people and links are added", async () => {
  await lab.server.ask("POST", "/people", { body: { name: "kim" } });
  const id = await begin(lab, { title: "Shared by keyboard" });
  const { page } = await visit(lab, `/s/${id}`);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Share …" }).click();
  const dialog = page.getByRole("dialog", { name: "Share session" });
  const hasFocus = async () => (await page.locator("[role=dialog]:focus-within").count()) === 1;
  const press = async (name: string) => {
    await dialog.getByRole("button", { name, exact: true }).focus();
    await page.keyboard.press("Enter");
  };
  await dialog.getByLabel("Share with").selectOption("kim");
  await press("Share");
  await dialog.getByText("kim, viewer").waitFor();
  expect(await hasFocus()).toBe(true);
  await press("New public link …");
  await dialog.getByText("It would show").waitFor();
  await expect.poll(hasFocus, SOON).toBe(true);
  await press("Create link");
  await dialog.getByText("Copy the link now.").waitFor();
  await expect.poll(hasFocus, SOON).toBe(true);
}, 60_000);

it("a link to a session in the middle of a tool call promises nothing below it", async () => {
  const id = await begin(lab, { title: "In the middle" }, "/run echo deployed");
  await approvalOf(lab, id);
  const { json } = await lab.server.ask("POST", `/sessions/${id}/links`, { body: {} });
  const shown = await openPage(await openBrowser({}), `${lab.server.url}${textOf(json, "path")}`);
  await shown.getByText("not finished").waitFor({ timeout: 10_000 });
  expect(await shown.locator("body").innerText()).not.toContain("below");
}, 60_000);

it("a link without its secret says what to copy", async () => {
  const shown = await openPage(await openBrowser({}), `${lab.server.url}/link`);
  await shown.getByText("Copy the whole link, with the part after the #.").waitFor();
}, 60_000);
