import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { CONTINUE_MESSAGE } from "../../../src/contract/continue-message.ts";
import { trustWorkTree } from "../../../src/drive/work-tree/trust-work-tree.ts";
import { openBrowser } from "../../browser/open-browser.ts";
import { listOf, runBelay, textOf } from "../../serve/server-process.ts";
import { runGit } from "../../service/work-tree-lab.ts";
import { findViolations } from "./find-violations.ts";
import { approvalOf, begin, openPage, openWebLab, send, visit } from "./web-lab.ts";

const lab = openWebLab();
const ME = userInfo().username;
const TOO_LATE = /status of 409/;

/** A session that asks for permission. */
async function asking(title: string): Promise<{ id: string; approval_id: string }> {
  const id = await begin(lab, { title }, "/run echo one");
  return { id, approval_id: await approvalOf(lab, id) };
}

/** Somebody at a terminal answers first, right after the button on the page was pressed. */
async function answerBefore(page: Page, approval_id: string): Promise<void> {
  await page.route("**/approvals/*", async (route) => {
    if (route.request().method() === "POST") {
      await runBelay(lab.place, ["reject", approval_id, "--note", "not today"]);
    }
    await route.continue();
  });
}

describe("a decision", () => {
  it("names who decided and from where", async () => {
    const { id, approval_id } = await asking("Decided in a terminal");
    const { page } = await visit(lab, `/s/${id}`);
    await runBelay(lab.place, ["approve", approval_id, "--note", "go on"]);
    await page.getByText(`Approved “Allow” by ${ME} from the CLI (go on)`).waitFor();

    await send(lab, id, "/run echo two");
    await page.getByRole("button", { name: "Reject (rejects)" }).click();
    await page.getByText("Rejected “Reject” by you from the web page").waitFor();

    await lab.server.ask("POST", "/people", { body: { name: "bob" } });
    const share = { with: "bob", role: "approver" };
    await lab.server.ask("POST", `/sessions/${id}/shares`, { body: share });
    await send(lab, id, "/run echo three");
    const third = await approvalOf(lab, id);
    const made = await runBelay(lab.place, ["token", "create", "--owner", "bob", "--json"]);
    const token = textOf(made.json, "token");
    const body = { decision: "approved" };
    await lab.server.ask("POST", `/approvals/${third}`, { body, token });
    await page.getByText("Approved “Allow” by bob from the API").waitFor();

    // The work that Belay itself continues is not the person's.
    await send(lab, id, CONTINUE_MESSAGE);
    const own = page.getByRole("article", { name: "Belay" });
    expect(await own.innerText()).toContain(CONTINUE_MESSAGE);
    expect(await page.getByRole("article", { name: "You" }).allInnerTexts()).not.toContain(
      CONTINUE_MESSAGE,
    );
  }, 60_000);

  it("that came second is told who was first, and with what", async () => {
    const { id, approval_id } = await asking("Answered twice");
    const { page, visitor } = await visit(lab, `/s/${id}`);
    visitor.expects(TOO_LATE);
    await page.getByRole("button", { name: "Allow (approves once)" }).waitFor();
    await answerBefore(page, approval_id);
    await page.getByRole("button", { name: "Allow (approves once)" }).click();
    await page.getByText(`Rejected “Reject” by ${ME} from the CLI (not today)`).waitFor();
    await page.getByRole("alert").getByText("Your answer was not used").waitFor();
    expect(await findViolations(page, null)).toEqual([]);
  }, 60_000);

  it("that came second in the inbox is told the same, before and after an answer", async () => {
    const { approval_id } = await asking("Answered twice in the inbox");
    const { page, visitor } = await visit(lab, "/inbox");
    visitor.expects(TOO_LATE);
    const answered = `This question was rejected by ${ME} from the CLI, with the note: not today.`;
    await page.getByRole("button", { name: "Allow (approves once)" }).waitFor();
    await answerBefore(page, approval_id);
    await page.getByRole("button", { name: "Allow (approves once)" }).click();
    await page.getByText(`Your answer was not used. ${answered}`).waitFor();
    await page.getByRole("button", { name: "Done" }).click();

    const other = await asking("Answered while it is shown");
    await page.getByRole("button", { name: "Allow (approves once)" }).waitFor();
    await runBelay(lab.place, ["reject", other.approval_id, "--note", "not today"]);
    await page.getByRole("status").getByText(answered).waitFor();
  }, 60_000);
});

describe("the restore of a checkpoint", () => {
  let tree = "";
  let id = "";
  const file = () => readFileSync(join(tree, "a.txt"), "utf8");
  const restored = async () => {
    const { json } = await lab.server.ask("GET", `/sessions/${id}/events?limit=1000`);
    return listOf(json, "events").filter(({ type }) => type === "checkpoint.restored");
  };

  beforeAll(async () => {
    tree = join(realpathSync(lab.place.root), "repo");
    mkdirSync(tree);
    runGit(tree, "init", "-q");
    trustWorkTree(lab.place.home, tree);
    writeFileSync(join(tree, "a.txt"), "then\n");
    id = await begin(lab, { title: "Goes back", project: { cwd: tree, repo: tree, branch: null } });
    const body = { name: "green", state: {} };
    await lab.server.ask("POST", `/sessions/${id}/checkpoints`, { body });
    writeFileSync(join(tree, "a.txt"), "now\n");
  }, 60_000);

  async function openDialog(page: Page) {
    await page.getByRole("button", { name: "Restore green" }).click();
    const dialog = page.getByRole("dialog", { name: "Restore a checkpoint" });
    await dialog.getByText("1 file in").waitFor();
    return dialog;
  }

  it("says that only the conversation goes back if the login cannot restore files", async () => {
    const { page } = await visit(lab, `/s/${id}/branches`);
    const dialog = await openDialog(page);
    await dialog.getByText("can restore files").waitFor();
    await dialog.getByText(`npx belay checkpoint restore ${id} green --files`).waitFor();
    expect(await dialog.getByRole("checkbox").count()).toBe(0);
    await dialog.getByRole("button", { name: "Restore, conversation only", exact: true }).click();
    await page.getByText("Checkpoint restored, conversation only: green").first().waitFor();
    expect(file()).toBe("now\n");
    expect((await restored()).at(-1)?.data).not.toHaveProperty("undo");
  }, 60_000);

  it("restores the files of a trusted work tree for an admin, and saves them first", async () => {
    const { json } = await runBelay(lab.place, ["login", "--json"]);
    const visitor = await openBrowser({ bypassCSP: true });
    await openPage(visitor, textOf(json, "url"));
    const page = await openPage(visitor, `${lab.server.url}/s/${id}/branches`);
    const dialog = await openDialog(page);
    expect(await findViolations(page, null)).toEqual([]);
    const files = dialog.getByRole("checkbox", { name: "Also restore the files" });
    await files.uncheck();
    await dialog.getByRole("button", { name: "Restore, conversation only", exact: true }).waitFor();
    await files.check();
    await dialog.getByRole("button", { name: "Restore", exact: true }).click();
    await page.getByText("Checkpoint restored, with its files: green").waitFor();
    expect(file()).toBe("then\n");
    const undo = (await restored()).at(-1)?.data;
    expect(undo).toMatchObject({ name: "green", undo: expect.any(String) });
    await page.getByText("Checkpoint saved: before-restore-").waitFor();
  }, 60_000);
});
