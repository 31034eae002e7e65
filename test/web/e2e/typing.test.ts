import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { listOf } from "../../serve/server-process.ts";
import { typeAtRandom } from "./type-at-random.ts";
import { approvalOf, begin, openWebLab, SOON, sessionOf, until, visit } from "./web-lab.ts";

const lab = openWebLab();
/** `npm run test:typing` types for minutes, with another seed each time. */
const SECONDS = Number(process.env.BELAY_TYPING_SECONDS ?? 5);
const SEED = Number(process.env.BELAY_TYPING_SEED ?? 14);

/** Every request of the page that changes something. */
function watchChanges(page: Page): string[] {
  const sent: string[] = [];
  page.on("request", (request) => {
    if (request.method() !== "GET") {
      sent.push(`${request.method()} ${new URL(request.url()).pathname}`);
    }
  });
  return sent;
}

const box = (page: Page) => page.getByRole("textbox", { name: /message/i });
const approve = (page: Page) =>
  page.getByRole("button", { name: /^Approve(?! always)|\(approves once\)$/ });

const isFocused = (each: { matches(selector: string): boolean }) => each.matches(":focus");

async function decisionsIn(id: string): Promise<Record<string, unknown>[]> {
  const { json } = await lab.server.ask("GET", `/sessions/${id}/events?limit=1000`);
  return listOf(json, "events").filter(({ type }) => type === "approval.decided");
}

describe(`someone who types for ${SECONDS} s while agents ask (seed ${SEED})`, () => {
  const ids: string[] = [];
  beforeAll(async () => {
    for (const nth of [1, 2, 3]) {
      const title = `Asks ${nth}`;
      ids.push(await begin(lab, { title }, `/run touch typed-${nth}`));
    }
    for (const id of ids) await approvalOf(lab, id);
  });
  // They would otherwise be in the inbox of the tests that follow.
  afterAll(async () => {
    for (const id of ids) await lab.server.ask("POST", `/sessions/${id}/cancel`);
  });

  const places = [
    ["in the composer", () => `/s/${ids[0]}`, 0.4],
    ["beside the composer", () => `/s/${ids[1]}`, 0.2],
    ["in the inbox", () => "/inbox", 0.2],
    ["in the list", () => "/", 0.2],
  ] as const;
  it.each(places)(
    "sends nothing but messages: %s",
    async (where, path, part) => {
      const { page, visitor } = await visit(lab, path());
      visitor.expects(/status of 4\d\d/);
      const sent = watchChanges(page);
      if (where === "in the composer") {
        await approve(page).waitFor();
        await box(page).focus();
      }
      if (where === "in the list") await page.keyboard.press("j");
      await typeAtRandom(page, SEED, SECONDS * 1000 * part);
      expect(sent.filter((each) => !/^POST \/sessions\/[^/]+\/messages$/.test(each))).toEqual([]);
      if (where === "in the composer") {
        await page.keyboard.type("the last one\n");
        await expect.poll(() => sent.length, SOON).toBeGreaterThan(0);
        expect(await box(page).evaluate(isFocused)).toBe(true);
      }
      for (const id of ids) {
        expect(await sessionOf(lab, id)).toMatchObject({ status: "active", pending_approvals: 1 });
      }
    },
    SECONDS * 1000 + 30_000,
  );

  it("sees the run time of an approved tool call, without the wait", async () => {
    const { page } = await visit(lab, `/s/${ids[2]}`);
    await approve(page).click();
    await page.getByText("The command is done.").waitFor();
    const call = await page.locator("summary", { hasText: "touch typed-3" }).innerText();
    const [, took, unit] = /· ([\d.]+) (ms|s)\b/.exec(call) ?? [];
    expect(Number(took) * (unit === "s" ? 1000 : 1)).toBeLessThan(SECONDS * 500);

    await page.goto(`${lab.server.url}/s/${ids[2]}/timeline`);
    await page.getByText("Show as a table").click();
    const row = page.getByRole("row", { name: /^Action touch typed-3/ });
    const [, again, of] = /\t([\d.]+) (ms|s)\b/.exec(await row.innerText()) ?? [];
    expect(Number(again) * (of === "s" ? 1000 : 1)).toBeLessThan(SECONDS * 500);
  });
});

describe("the composer", () => {
  it("keeps the focus and accepts the next message while one is being sent", async () => {
    const id = await begin(lab, { title: "Two at once" });
    const { page } = await visit(lab, `/s/${id}`);
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    await page.route("**/messages", async (route) => {
      await gate;
      await route.continue();
    });
    await box(page).fill("/say first");
    await page.keyboard.press("Enter");
    await page.keyboard.type("/say second");
    expect(await box(page).inputValue()).toBe("/say second");
    await page.keyboard.press("Enter");
    await page.keyboard.type("a third, not sent");
    open();
    await page.getByText("second", { exact: true }).waitFor();
    expect(await box(page).inputValue()).toBe("a third, not sent");
    const turns = await until("both turns", async () => {
      const { json } = await lab.server.ask("GET", `/sessions/${id}/messages`);
      const ended = listOf(json, "turns").filter(({ ended_at }) => ended_at !== null);
      return ended.length === 2 ? ended : null;
    });
    expect(turns.map(({ input }) => input)).toEqual(["/say first", "/say second"]);
  });

  it("loses no text when a message is not sent, and sends it once later", async () => {
    const id = await begin(lab, { title: "Cut off" });
    const { page, visitor } = await visit(lab, `/s/${id}`);
    visitor.expects(/ERR_FAILED|ERR_CONNECTION/);
    await page.route("**/messages", (route) => route.abort());
    await box(page).fill("/say first");
    await page.keyboard.press("Enter");
    await page.getByText(/^Not sent/).waitFor();
    expect(await box(page).inputValue()).toBe("/say first");
    expect(await box(page).evaluate(isFocused)).toBe(true);

    // The user continues typing: unsent text waits above, and goes first.
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    await page.unroute("**/messages");
    await page.route("**/messages", async (route) => {
      await gate;
      await route.abort();
    });
    await page.keyboard.press("Enter");
    await page.keyboard.type("/say second");
    open();
    await page.getByRole("button", { name: "Send again" }).waitFor();
    expect(await box(page).inputValue()).toBe("/say second");
    await page.reload();
    await expect.poll(() => box(page).inputValue(), SOON).toBe("/say first\n\n/say second");

    await page.unroute("**/messages");
    await box(page).fill("/say first");
    await page.keyboard.press("Enter");
    await page.getByText("first", { exact: true }).waitFor();
    expect(await box(page).inputValue()).toBe("");
  });
});

describe("a question", () => {
  it("is approved by Ctrl+Enter on its card only, and the key is shown there only", async () => {
    const id = await begin(lab, { title: "By key" }, "/run touch by-key");
    const { page } = await visit(lab, `/s/${id}`);
    const key = page.locator("kbd", { hasText: "Ctrl+Enter" });
    await approve(page).waitFor();
    await box(page).focus();
    expect(await key.isVisible()).toBe(false);
    await page.keyboard.press("Control+Enter");
    expect(await decisionsIn(id)).toEqual([]);

    await page.getByRole("region", { name: /touch by-key/ }).focus();
    await expect.poll(() => key.isVisible(), SOON).toBe(true);
    for (const letter of "yan") await page.keyboard.press(letter);
    expect(await decisionsIn(id)).toEqual([]);
    // A key that comes too soon answers nothing, because nobody can have read the question.
    await until("the answer", async () => {
      await page.keyboard.press("Control+Enter");
      return (await decisionsIn(id)).length > 0;
    });
    expect(await decisionsIn(id)).toMatchObject([{ data: { decision: "approved" } }]);
    // Text that is typed next is for the agent.
    await page.getByText("The command is done.").waitFor();
    await page.keyboard.type("next");
    expect(await box(page).inputValue()).toBe("next");
  });

  it("is approved always only after a confirmation", async () => {
    const id = await begin(lab, { title: "Always" }, "/run touch always");
    const { page } = await visit(lab, `/s/${id}`);
    const always = page.getByRole("button", { name: "Always allow (approves always)" });
    await always.click();
    const dialog = page.getByRole("alertdialog");
    await dialog.waitFor();
    for (const each of ["y", "a", "Enter"]) await page.keyboard.press(each);
    await dialog.waitFor({ state: "detached" });
    expect(await decisionsIn(id)).toEqual([]);
    await always.click();
    await dialog.getByRole("button", { name: "Approve always" }).click();
    await page.getByText("The command is done.").waitFor();
    expect(await decisionsIn(id)).toMatchObject([{ data: { decision: "approved", always: true } }]);
  });

  it("is interrupted by Ctrl+. with any focus, and by no letter", async () => {
    const id = await begin(lab, { title: "To stop" }, "/run touch to-stop");
    const { page } = await visit(lab, `/s/${id}`);
    await approve(page).waitFor();
    await page.getByRole("button", { name: /^Interrupt/ }).waitFor();
    await box(page).focus();
    await page.keyboard.press("Control+.");
    await until("the interrupt", async () => {
      const { json } = await lab.server.ask("GET", `/sessions/${id}/events?limit=1000`);
      return listOf(json, "events").some(({ type }) => type === "interrupt.requested");
    });
  });
});
