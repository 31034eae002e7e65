import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PATIENCE_MS } from "../../patience.ts";
import { runWorker } from "../../run/run-worker.ts";
import { listOf } from "../../serve/server-process.ts";
import { begin, openPage, openWebLab, SOON, sessionOf, until, visit } from "./web-lab.ts";

/** The server does not continue by itself, so that only the person's choice counts. */
const lab = openWebLab(async ({ home }) => {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeFileSync(join(home, "recovery.json"), '{"continue":false}', { mode: 0o600 });
});
const LATER = { timeout: PATIENCE_MS, interval: 100 } as const;

/** A page on a session whose driver was killed while its agent asked. */
async function openLost(message: string) {
  const id = await begin(lab, { title: "Lost" });
  const worker = runWorker(lab.place.home, message, id, lab.place.root);
  await worker.hear("permission");
  const { page, visitor } = await visit(lab, `/s/${id}`);
  const approve = page.getByRole("button", { name: /\(approves once\)$/ }).first();
  await approve.waitFor();
  await worker.kill();
  await page.getByText("the turn was lost").waitFor();
  await approve.waitFor({ state: "detached" });
  return { id, page, visitor, approve };
}

it("a turn whose process was killed while it asked can be discarded", async () => {
  const { id, page, visitor } = await openLost("/ask May I?");
  await expect.poll(async () => (await sessionOf(lab, id)).activity, LATER).toBe("interrupted");
  const list = await openPage(visitor, `${lab.server.url}/`);
  const row = list.getByRole("row").filter({ hasText: "Lost" });
  await row.getByText("interrupted", { exact: true }).waitFor();
  await list.close();
  await page.getByRole("button", { name: "Discard" }).click();
  await expect.poll(async () => (await sessionOf(lab, id)).activity, LATER).toBe("idle");
  await page.getByText("the turn was lost").waitFor({ state: "detached" });
});

it("a lost turn can be retried, and then asks again", async () => {
  const { id, page, approve } = await openLost("/ask May I once more?");
  await page.getByRole("button", { name: "Retry" }).click();
  await approve.waitFor();
  const { json } = await lab.server.ask("GET", `/sessions/${id}/messages`);
  expect(listOf(json, "turns").map(({ input }) => input)).toEqual([
    "/ask May I once more?",
    "/ask May I once more?",
  ]);
  await expect.poll(async () => (await sessionOf(lab, id)).activity, LATER).toBe("needs_you");
});

it("Continue on a question of recovery continues the work", async () => {
  const id = await begin(lab, { title: "Asked" });
  const worker = runWorker(lab.place.home, "/run sleep 60", id, lab.place.root);
  const asked = await worker.hear("permission");
  const answer = { body: { decision: "approved" } };
  await lab.server.ask("POST", `/approvals/${asked.approval_id}`, answer);
  await until("the command to run", async () => (await sessionOf(lab, id)).phase === "executing");
  await worker.kill();
  await expect.poll(async () => (await sessionOf(lab, id)).recovery, LATER).not.toBeNull();
  const { page } = await visit(lab, `/s/${id}`);
  await page.getByRole("button", { name: "Continue", exact: true }).click();
  await page.getByText("Continue the work that was interrupted.").first().waitFor();
  await expect.poll(async () => (await sessionOf(lab, id)).turn_count, SOON).toBe(2);
});
