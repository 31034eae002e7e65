import { mkdirSync } from "node:fs";
import type { Locator } from "playwright-core";
import { expect, it } from "vitest";
import { createContext } from "../../../src/compose-context.ts";
import { createService } from "../../../src/compose-service.ts";
import { isAlive } from "../../../src/process/process-identity.ts";
import { openSqliteStore } from "../../../src/store/sqlite/open-sqlite-store.ts";
import { writeAgent } from "../../run/run-lab.ts";
import { approvalOf, begin, openWebLab, SOON, send, sessionOf, until, visit } from "./web-lab.ts";

/** Besides the demo agent, one that reports success without usage. */
const lab = openWebLab(async ({ home }) => {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  writeAgent(home, { flags: ["--wordy-failure"] });
  await writeHoursAgo(home, { Older: 3, Newer: 1 });
});

/** Sessions of outside agents, some hours after they were started. */
async function writeHoursAgo(home: string, hours: Readonly<Record<string, number>>): Promise<void> {
  const store = await openSqliteStore({ folder: home, isAlive });
  const caller = { owner: "local", actor: "test", interface: "cli", trace_id: null } as const;
  for (const [title, ago] of Object.entries(hours)) {
    const now = (): number => Date.now() - ago * 3_600_000;
    const service = createService({ ...createContext(store), now });
    const session_id = title.toLowerCase();
    await service.call("create", { agent_name: "elsewhere", session_id, title }, caller);
  }
  await store.close();
}

async function beginAs(title: string, activity: string, message?: string): Promise<string> {
  const id = await begin(lab, { title }, message);
  await until(`${title} to be ${activity}`, async () => {
    return (await sessionOf(lab, id)).activity === activity;
  });
  return id;
}

interface Styled {
  computedStyleMap(): { get(name: string): unknown };
}

/** The visible colours of a badge. */
function lookOf(badge: Locator): Promise<string> {
  return badge.evaluate((each: Styled) => {
    const style = each.computedStyleMap();
    return `${style.get("color")} on ${style.get("background-color")}`;
  });
}

it("each activity has its own word and look, and sessions that need you are on top", async () => {
  const pinned = await beginAs("Pinned", "idle");
  await lab.server.ask("POST", `/sessions/${pinned}/pin`);
  const asks = await begin(lab, { title: "Asks" }, "/ask May I?");
  await approvalOf(lab, asks);
  await beginAs("Failed", "failed", "/fail no luck");
  const resting = await beginAs("Rests", "idle");
  await lab.server.ask("POST", `/sessions/${resting}/suspend`);
  const over = await beginAs("Over", "idle");
  await lab.server.ask("POST", `/sessions/${over}/complete`, { body: {} });
  const working = await beginAs("Works", "working", "/pace 50\n/chunks 4000 8");

  const { page } = await visit(lab, "/");
  const rows = page.getByRole("table", { name: "Sessions" }).getByRole("row");
  const expected = {
    Pinned: "idle",
    Asks: "needs you",
    Failed: "failed",
    Rests: "suspended",
    Over: "done",
    Works: "working",
  };
  const looks = new Set<string>();
  for (const [title, word] of Object.entries(expected)) {
    const row = rows.filter({ has: page.getByRole("link", { name: title, exact: true }) });
    const badge = row.getByText(word, { exact: true });
    await badge.waitFor();
    looks.add(await lookOf(badge));
  }
  expect(looks.size).toBe(Object.keys(expected).length);
  // The phase of an idle session would be misleading.
  expect(await rows.filter({ hasText: "Pinned" }).innerText()).not.toContain("initializing");
  const titles = await rows.getByRole("link").allInnerTexts();
  expect(titles.slice(0, 2)).toEqual(["Pinned", "Asks"]);

  // A session comes up when it needs someone.
  await lab.server.ask("POST", `/sessions/${working}/pin`);
  await lab.server.ask("POST", `/sessions/${pinned}/unpin`);
  await send(lab, pinned, "/ask And I?");
  await approvalOf(lab, pinned);
  await expect
    .poll(async () => {
      const [first, ...next] = await rows.getByRole("link").allInnerTexts();
      return [first, ...next.slice(0, 2).toSorted()];
    }, SOON)
    .toEqual(["Works", "Asks", "Pinned"]);
  await lab.server.ask("POST", `/sessions/${working}/cancel`);

  // Any status really means any, also archived ones.
  await lab.server.ask("POST", `/sessions/${over}/archive`);
  await rows.getByRole("link", { name: "Over", exact: true }).waitFor({ state: "detached" });
  await page.getByLabel("Status").selectOption("any");
  await rows.getByRole("link", { name: "Over", exact: true }).waitFor();
});

it("other sessions are sorted by last activity", async () => {
  const { page } = await visit(lab, "/");
  const rows = page.getByRole("table", { name: "Sessions" }).getByRole("row");
  const order = async (): Promise<string[]> =>
    (await rows.getByRole("link").allInnerTexts()).filter((title) => /^(Older|Newer)$/.test(title));
  await expect.poll(order, SOON).toEqual(["Newer", "Older"]);
  const body = { input: "go on", output: "done" };
  await lab.server.ask("POST", "/sessions/older/turns", { body });
  await expect.poll(order, SOON).toEqual(["Older", "Newer"]);
});

it("a turn without usage looks different from a completed one", async () => {
  const id = await begin(lab, { agent_name: "agent", title: "Unmetered" }, "/say as usual");
  const { page } = await visit(lab, `/s/${id}`);
  const done = page.locator("footer span", { hasText: /^✓ Done$/ });
  const ended = page.locator("footer span", { hasText: /^• Ended without usage$/ });
  await done.waitFor();
  // It has one line on a phone too.
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(async () => (await done.boundingBox())?.height, SOON).toBeLessThan(24);
  expect(await ended.count()).toBe(0);
  await send(lab, id, "/fail the quota is used up");
  await ended.waitFor();
  expect(await done.count()).toBe(1);
  expect(await lookOf(ended)).not.toBe(await lookOf(done));
});
