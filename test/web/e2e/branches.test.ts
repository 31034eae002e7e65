import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { trustWorkTree } from "../../../src/drive/work-tree/trust-work-tree.ts";
import { DEMO_ENV, DEMO_PROGRAM } from "../../agent/demo/demo-program.ts";
import { listOf, textOf } from "../../serve/server-process.ts";
import { readTree, runGit, writeFiles } from "../../service/work-tree-lab.ts";
import { findViolations } from "./find-violations.ts";
import { HOSTILE_TEXTS } from "./hostile-texts.ts";
import { readWhole, squeeze } from "./read-page.ts";
import { begin, openWebLab, SOON, sessionOf, visit } from "./web-lab.ts";

const EVIL = HOSTILE_TEXTS[0] ?? "";
const lab = openWebLab(async ({ home }) => {
  mkdirSync(home, { mode: 0o700 });
  const other = { command: process.execPath, args: [DEMO_PROGRAM], env: DEMO_ENV };
  writeFileSync(join(home, "agents.json"), JSON.stringify({ agents: { other } }), { mode: 0o600 });
});
let origin = "";
let fork = "";
let tree = "";

async function ask(path: string, body: object): Promise<unknown> {
  const { status, json, text } = await lab.server.ask("POST", path, { body });
  if (status >= 300) throw new Error(`${path}: ${text}`);
  return json;
}

beforeAll(async () => {
  tree = join(realpathSync(lab.place.root), "repo");
  mkdirSync(tree);
  runGit(tree, "init", "-q");
  trustWorkTree(lab.place.home, tree);
  writeFiles(tree, { "a.txt": "then\n" });
  const project = { cwd: tree, repo: tree, branch: null };
  origin = await begin(lab, { title: "The origin", project });
  await ask(`/sessions/${origin}/turns`, { input: "start", output: "the code word is heron" });
  fork = textOf(await ask(`/sessions/${origin}/fork`, { title: `The fork ${EVIL}` }), "session_id");
  await ask(`/sessions/${origin}/turns`, { input: "in the origin", output: EVIL });
  await ask(`/sessions/${fork}/turns`, { input: "in the fork", output: `${EVIL} there` });
  for (const [id, color] of [
    [origin, "red"],
    [fork, "blue"],
  ]) {
    const body = { metadata: { color, [`only-${color}`]: EVIL } };
    await lab.server.ask("PATCH", `/sessions/${id}`, { body });
  }
  await ask(`/sessions/${origin}/checkpoints`, { name: "green", state: { note: EVIL } });
  writeFiles(tree, { "a.txt": `now ${EVIL}\n`, "new.txt": "x\n" });
}, 120_000);

/** What axe says of a page with a dialog open, in both themes. */
async function expectAccessible(page: Page): Promise<void> {
  const found: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-theme=${colorScheme}]`).waitFor();
    found.push(...(await findViolations(page, null)));
  }
  expect(found).toEqual([]);
}

describe("the branches of a session", () => {
  it("are compared side by side", async () => {
    const visited = await visit(lab, `/s/${origin}/branches`);
    const { page } = visited;
    await page.getByRole("link", { name: "Compare with The fork" }).click();
    await page.waitForURL(/\/compare\?with=/);
    await page.getByRole("heading", { name: "Turns", exact: true }).waitFor();
    const seen = await readWhole(visited);
    for (const text of ["in the origin", "in the fork", "red", "blue", EVIL]) {
      expect(seen).toContain(squeeze(text));
    }
    expect(await page.getByRole("article").count()).toBe(2);
    await page.getByRole("columnheader", { name: origin }).waitFor();
  });

  it("show a restore with its file changes, and write none of them", async () => {
    const { page } = await visit(lab, `/s/${origin}/branches`, { bypassCSP: true });
    await page.getByRole("button", { name: "Restore green" }).press("Enter");
    const dialog = page.getByRole("dialog", { name: "Restore a checkpoint" });
    await dialog.getByText("2 files in").waitFor();
    const patch = dialog.getByRole("group", { name: "File changes" });
    expect(await patch.innerText()).toContain(`- now ${EVIL}`);
    await dialog.getByText(`npx belay checkpoint restore ${origin} green --files`).waitFor();
    await expectAccessible(page);
    const files = readTree(tree);
    await dialog.getByRole("button", { name: "Restore in a fork, conversation only" }).click();
    await page.waitForURL((url) => url.pathname !== `/s/${origin}/branches`);
    expect(page.url()).not.toContain(origin);
    expect(readTree(tree)).toEqual(files);
  });

  it("are merged by keyboard after a preview, only as shown", async () => {
    const { page } = await visit(lab, `/s/${origin}/branches`, { bypassCSP: true });
    await page.getByRole("button", { name: "Merge The fork" }).press("Enter");
    const dialog = page.getByRole("dialog", { name: "Merge a fork" });
    await dialog.getByText("1 turn, 0 tool calls").waitFor();
    const merge = dialog.getByRole("button", { name: "Merge", exact: true });
    expect(await merge.getAttribute("aria-disabled")).toBe("true");
    await expectAccessible(page);
    // What happens after the preview is not part of it.
    await ask(`/sessions/${fork}/turns`, { input: "too late", output: "" });
    await dialog.getByRole("radio", { name: "Use the values of the fork" }).press("Space");
    await merge.press("Enter");
    await page.waitForURL(`${lab.server.url}/s/${origin}`);
    const { json } = await lab.server.ask("GET", `/sessions/${origin}/events?limit=1000`);
    const merged = listOf(json, "events").filter(({ type }) => type === "session.merged");
    expect(merged).toMatchObject([{ data: { turns: 1, metadata: { color: "blue" } } }]);
    expect((await sessionOf(lab, origin)).metadata).toMatchObject({ color: "blue" });
  });

  it("show the text for another agent, and hand the session over only as shown", async () => {
    const { page, visitor } = await visit(lab, `/s/${origin}`, { bypassCSP: true });
    visitor.expects(/status of 409/);
    await page.getByRole("button", { name: "More actions" }).press("Enter");
    await page.getByRole("menuitem", { name: "Hand to another agent …" }).press("Enter");
    const dialog = page.getByRole("dialog", { name: "Hand to another agent" });
    await dialog.getByLabel("Agent", { exact: true }).selectOption("other");
    const told = dialog.getByRole("group", { name: "Text for the agent" });
    await expect.poll(() => told.innerText(), SOON).toContain("the code word is heron");
    await expectAccessible(page);
    await ask(`/sessions/${origin}/turns`, { input: "meanwhile", output: "a heron flew by" });
    await dialog.getByRole("button", { name: "Hand to other" }).click();
    await dialog.getByRole("button", { name: "Show the preview again" }).click();
    await expect.poll(() => told.innerText(), SOON).toContain("a heron flew by");
    expect((await sessionOf(lab, origin)).agent_name).toBe("demo");
    await dialog.getByRole("button", { name: "Hand to other" }).click();
    await dialog.waitFor({ state: "detached" });
    expect((await sessionOf(lab, origin)).agent_name).toBe("other");
  });
});
