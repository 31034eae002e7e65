import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { ClaudeLines } from "../../import/conversations/claude-lines.ts";
import { lines } from "../../import/conversations/import-place.ts";
import { findViolations } from "./find-violations.ts";
import { openWebLab, visit } from "./web-lab.ts";

const ON_SERVER = "22222222-aaaa-4bbb-8ccc-0000000000e1";
const SENT = "11111111-aaaa-4bbb-8ccc-0000000000e2";

function transcript(id: string, prompt: string): string {
  const claude = new ClaudeLines(id);
  claude.user(prompt);
  claude.says("Done.");
  return lines(claude.records);
}

const lab = openWebLab(async ({ root }) => {
  const file = join(root, ".claude", "projects", "p", `${ON_SERVER}.jsonl`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, transcript(ON_SERVER, "Kept on the server"));
});

it("files of this computer are imported after a dry run, with links to the sessions", async () => {
  const { page, visitor } = await visit(lab, "/", { bypassCSP: true });
  visitor.expects(/status of 403/);
  await page
    .getByRole("link", { name: /^Import/ })
    .first()
    .click();
  await page.waitForURL(`${lab.server.url}/import`);
  await page.getByText("This browser may not read files there.").waitFor();
  await page.getByText("npx belay import claude-code", { exact: true }).waitFor();
  const damaged = `${transcript(SENT, "Sent from here")}half a rec\n`;
  await page.getByLabel("Choose files").setInputFiles([
    { name: `${SENT}.jsonl`, mimeType: "text/plain", buffer: Buffer.from(damaged) },
    { name: "notes.jsonl", mimeType: "text/plain", buffer: Buffer.from("{}\n") },
  ]);
  await page.getByText("2 files chosen").waitFor();
  // By keyboard alone.
  const dry = page.getByRole("button", { name: "Dry run: the chosen files" });
  await dry.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Dry run: nothing was written" }).waitFor();
  await page
    .getByText(
      "Would import 1 turn from 1 conversation in 2 files: 1 new session, 1 damaged place.",
    )
    .waitFor();
  await page.getByText(`${SENT}.jsonl line 3: not a complete record`).waitFor();
  expect((await lab.server.ask("GET", `/sessions/${SENT}`)).status).toBe(404);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-theme=${colorScheme}]`).waitFor();
    expect(await findViolations(page, null)).toEqual([]);
  }
  await page.getByRole("button", { name: "Import 1 turn" }).click();
  await page.getByRole("heading", { name: "Import complete" }).waitFor();
  await page.getByRole("button", { name: "Import: the chosen files" }).click();
  await page
    .getByText("Imported 0 turns from 1 conversation in 2 files: 1 unchanged, 1 damaged place.")
    .waitFor();
  await page.getByRole("link", { name: "Back to sessions" }).click();
  await page.getByRole("link", { name: "Sent from here" }).waitFor();
});

it("files on the server are imported by an admin, and files without conversations are reported", async () => {
  const { page } = await visit(lab, "/import", { scope: "admin" });
  await page.getByText(join(lab.place.root, ".claude", "projects")).waitFor();
  await page.getByRole("button", { name: "Import: Claude Code on the server" }).click();
  await page.getByRole("link", { name: "Kept on the server" }).click();
  await page.waitForURL(`${lab.server.url}/s/${ON_SERVER}`);
  await page.goBack();
  await page.getByLabel("Tool").selectOption({ label: "ChatGPT" });
  await page.getByText(/^No conversations of ChatGPT in/).waitFor();
  const none = { name: "conversations.json", mimeType: "text/plain", buffer: Buffer.from("[]") };
  await page.getByLabel("Choose files").setInputFiles([none]);
  await page.getByRole("button", { name: "Dry run: the chosen files" }).click();
  await page.getByRole("heading", { name: "No conversations found" }).waitFor();
});
