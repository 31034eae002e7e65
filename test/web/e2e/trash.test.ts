import { expect, it } from "vitest";
import { begin, openWebLab, SOON, sessionOf, visit } from "./web-lab.ts";

const lab = openWebLab();

it("a session in the trash is deleted forever after a confirmation", async () => {
  const id = await begin(lab, { title: "Leaked a password" }, "/say hello");
  const { page, visitor } = await visit(lab, `/s/${id}`);
  visitor.expects(/status of 404/);
  await page.getByText("hello").last().waitFor();
  await lab.server.ask("DELETE", `/sessions/${id}`);

  const forever = page.getByRole("button", { name: "Delete forever …" });
  await forever.click();
  const dialog = page.getByRole("alertdialog", { name: "Delete this session forever?" });
  await dialog.getByText("This cannot be undone. Copies in forks and backups stay").waitFor();
  await dialog.getByRole("button", { name: "Keep session" }).click();
  await dialog.waitFor({ state: "detached" });
  expect((await lab.server.ask("GET", `/sessions/${id}`)).status).toBe(200);

  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Delete forever …" }).click();
  await dialog.getByRole("button", { name: "Delete forever" }).click();
  await page.waitForURL(`${lab.server.url}/`);
  expect((await lab.server.ask("GET", `/sessions/${id}`)).status).toBe(404);
});

it("the trash lists deleted sessions, and restores them or deletes them forever", async () => {
  const [older, newer] = [await begin(lab, { title: "Kept" }), await begin(lab, { title: "Gone" })];
  for (const id of [older, newer]) await lab.server.ask("DELETE", `/sessions/${id}`);
  const { page } = await visit(lab, "/", { viewport: { width: 390, height: 844 } });
  await page.getByRole("button", { name: "Filters", exact: true }).click();
  await page.getByRole("link", { name: "Trash" }).click();

  const rows = page.getByRole("list", { name: "Deleted sessions" }).getByRole("listitem");
  await rows.nth(1).waitFor();
  // The session that was deleted last comes first.
  const texts = await rows.allInnerTexts();
  expect(texts.map((text) => /Kept|Gone/.exec(text)?.[0])).toEqual(["Gone", "Kept"]);
  for (const text of texts) expect(text).toContain("Removed for good in 7d");

  await page.getByRole("button", { name: "Restore Kept" }).press("Enter");
  await page.getByText("Restored: Kept").waitFor();
  expect((await sessionOf(lab, older)).deleted_at).toBeNull();
  // The keyboard goes on with the row that is left.
  await expect.poll(() => page.evaluate("document.activeElement.innerText"), SOON).toBe("Gone");

  await page.getByRole("button", { name: "Delete forever … Gone" }).click();
  const dialog = page.getByRole("alertdialog", { name: "Delete this session forever?" });
  await dialog.getByText("Gone").waitFor();
  await dialog.getByRole("button", { name: "Delete forever" }).click();
  await page.getByRole("heading", { name: "Trash is empty" }).waitFor();
  expect((await lab.server.ask("GET", `/sessions/${newer}`)).status).toBe(404);

  // A session that is deleted elsewhere appears at once.
  await lab.server.ask("DELETE", `/sessions/${older}`);
  await page.getByRole("button", { name: "Restore Kept" }).waitFor();
});

it("the trash opens with g d on every page", async () => {
  const { page } = await visit(lab, "/inbox");
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await help.getByText("Go to Trash").waitFor();
  await help.getByText("Go to Import").waitFor();
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "detached" });
  await page.keyboard.press("g");
  await page.keyboard.press("d");
  await page.getByRole("heading", { name: "Trash", exact: true }).waitFor();
});
