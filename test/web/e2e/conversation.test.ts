import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { listOf, runBelay, startBelay } from "../../serve/server-process.ts";
import { begin, openWebLab, SOON, send, sessionOf, until, visit } from "./web-lab.ts";

const lab = openWebLab();

async function write(page: Page, message: string): Promise<void> {
  await page.getByRole("textbox", { name: /message/i }).fill(message);
  await page.keyboard.press("Enter");
}

/** The pieces of /chunks, in the order in which the page shows them. */
async function piecesIn(page: Page): Promise<number[]> {
  const text = await page.getByRole("main").innerText();
  return [...text.matchAll(/(\d+) \.{3,}/g)].map(([, nth]) => Number(nth));
}

/** How much of the conversation is below the visible part. */
async function belowIn(page: Page): Promise<number> {
  return page
    .getByRole("region", { name: "Conversation" })
    .evaluate((box: { scrollHeight: number; clientHeight: number; scrollTop: number }) =>
      Math.round(box.scrollHeight - box.clientHeight - box.scrollTop),
    );
}

async function newestTurn(id: string): Promise<Record<string, unknown> | undefined> {
  const { json } = await lab.server.ask("GET", `/sessions/${id}/messages`);
  return listOf(json, "turns").at(-1);
}

const oneTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1);

describe("a conversation", () => {
  it("grows in the page while the agent answers, and is complete and in order at the end", async () => {
    const id = await begin(lab, { title: "Grows" });
    const { page } = await visit(lab, `/s/${id}`);
    await write(page, "/pace 50\n/chunks 60 8");
    await expect.poll(() => piecesIn(page), SOON).toContain(5);
    const shown = await piecesIn(page);
    expect((await newestTurn(id))?.ended_at).toBeNull();
    expect(shown).toEqual(oneTo(shown.length));
    expect(shown.length).toBeLessThan(60);
    await until("the end", async () => (await newestTurn(id))?.ended_at);
    await expect.poll(() => piecesIn(page), SOON).toEqual(oneTo(60));
    // And stored, once more from the start.
    await page.reload();
    await expect.poll(() => piecesIn(page), SOON).toEqual(oneTo(60));
  });

  it("follows its end until one scrolls up, and returns there for one's own message", async () => {
    const id = await begin(lab, { title: "Stays" });
    const size = { viewport: { width: 1000, height: 700 } };
    const { page } = await visit(lab, `/s/${id}`, size);
    const ended = async (count: number) =>
      until("the end", async () => {
        const turns = listOf(
          (await lab.server.ask("GET", `/sessions/${id}/messages`)).json,
          "turns",
        );
        return turns.length === count && turns.at(-1)?.ended_at;
      });
    await send(lab, id, "what can you do?");
    await ended(1);
    // Three lines and then none: the space for the conversation changes with them.
    await write(page, "/plan\n/write notes.txt hello\n/say done");
    await page.getByText("Permission requested").waitFor();
    await expect.poll(() => belowIn(page), SOON).toBe(0);
    await page.getByRole("button", { name: /^Approve(?! always)|\(approves once\)$/ }).click();
    await ended(2);
    // Sent by others: the position does not depend on the sender.
    for (const [nth, message] of ["/chunks 40 80", "and then?"].entries()) {
      await send(lab, id, message);
      await ended(nth + 3);
      await expect.poll(() => belowIn(page), SOON).toBe(0);
    }

    await page.mouse.move(500, 300);
    await page.mouse.wheel(0, -400);
    await expect.poll(() => belowIn(page), SOON).toBeGreaterThan(200);
    await send(lab, id, "/say further down");
    await ended(5);
    await page.getByRole("button", { name: "New messages" }).waitFor();
    expect(await belowIn(page)).toBeGreaterThan(200);
    await write(page, "/say at the end");
    await ended(6);
    await expect.poll(() => belowIn(page), SOON).toBe(0);
  });

  it("is answered in the page, and the title counts open questions", async () => {
    const id = await begin(lab, { title: "Asks" });
    const { page } = await visit(lab, `/s/${id}`);
    await write(page, "/run touch allowed-in-the-page");
    const allow = page.getByRole("button", { name: /^Approve(?! always)|\(approves once\)$/ });
    await allow.waitFor();
    await expect.poll(() => page.title(), SOON).toMatch(/^\(1\) /);
    expect(existsSync(join(lab.place.root, "work", "allowed-in-the-page"))).toBe(false);
    await allow.click();
    await page.getByText("The command is done.").waitFor();
    expect(existsSync(join(lab.place.root, "work", "allowed-in-the-page"))).toBe(true);
    await expect.poll(() => page.title(), SOON).not.toMatch(/^\(/);
  });

  it("continues when its question is answered in the inbox, also by a key", async () => {
    const [first, second] = [
      await begin(lab, { title: "First" }),
      await begin(lab, { title: "Second" }),
    ];
    const { page } = await visit(lab, "/inbox");
    await send(lab, first, "/ask May I go on?");
    await page.getByRole("heading", { name: /May I go on\?/ }).waitFor();
    await page.getByRole("button", { name: /^Approve(?! always)|\(approves once\)$/ }).click();
    await until("the end", async () => (await newestTurn(first))?.ended_at);
    expect((await newestTurn(first))?.output).toContain("allow_once");

    await send(lab, second, "/ask And this?");
    await page.getByRole("heading", { name: /And this\?/ }).waitFor();
    // A key that comes too soon answers nothing, because nobody can have read the question.
    await until("the end", async () => {
      await page.keyboard.press("n");
      await page.keyboard.press("Control+Enter");
      return (await newestTurn(second))?.ended_at;
    });
    expect((await newestTurn(second))?.output).toContain("allow_once");
    await page.getByText("Inbox is empty").waitFor();
  });

  it("shows messages from a terminal live, and interrupts a turn of the terminal", async () => {
    const id = await begin(lab, { title: "Shared" });
    const { page } = await visit(lab, `/s/${id}`);
    await page.getByRole("heading", { name: "Shared" }).waitFor();
    const sent = await runBelay(lab.place, ["send", id, "/say said from a terminal"]);
    expect(sent.code).toBe(0);
    await page.getByText("/say said from a terminal").waitFor();
    await page.getByText("said from a terminal", { exact: true }).waitFor();

    // Not through the server: this process drives the session itself.
    const args = ["run", "demo", "/pace 50\n/chunks 400 8", "--once", "--id", "own-terminal"];
    const terminal = startBelay(lab.place, args);
    await until("the session", async () => (await sessionOf(lab, "own-terminal")).session_id);
    await page.goto(`${lab.server.url}/s/own-terminal`);
    await expect.poll(() => piecesIn(page), SOON).toContain(10);
    const shown = await piecesIn(page);
    expect(shown).toEqual(oneTo(shown.length));
    await page.getByRole("button", { name: "Interrupt" }).click();
    await terminal.ended;
    await until("the end", async () => (await newestTurn("own-terminal"))?.ended_at);
    await page.getByText("Interrupt requested, from the web page").waitFor();
  });

  it("is cancelled only after a confirmation", async () => {
    const id = await begin(lab, { title: "To be cancelled" });
    const { page } = await visit(lab, `/s/${id}`);
    const choose = async () => {
      await page.getByRole("button", { name: /^(More|Actions)/ }).click();
      await page.getByRole("menuitem", { name: /^Cancel/ }).click();
    };
    await choose();
    const dialog = page.getByRole("alertdialog");
    await dialog.getByRole("button", { name: /Keep/ }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await sessionOf(lab, id)).toMatchObject({ status: "created" });
    await choose();
    await dialog.getByRole("button", { name: /^Cancel/ }).click();
    await page.getByText("Session was cancelled").waitFor();
    expect(await sessionOf(lab, id)).toMatchObject({ status: "cancelled" });
    expect(await page.getByRole("textbox", { name: /message/i }).count()).toBe(0);
  });

  it("shows that it is suspended in place of the input, and continues when it is resumed", async () => {
    const id = await begin(lab, { title: "Rests" }, "/say before");
    const { page } = await visit(lab, `/s/${id}`);
    await page.getByText("before", { exact: true }).waitFor();
    await until("the end", async () => (await newestTurn(id))?.ended_at);
    await page.getByRole("button", { name: "Suspend" }).click();
    await page
      .getByText("Session is suspended. It may be resumable when the agent supports it.")
      .waitFor();
    expect(await page.getByRole("textbox", { name: /message/i }).count()).toBe(0);
    await page.getByRole("button", { name: "Resume" }).first().click();
    await write(page, "/say after");
    await page.getByText("after", { exact: true }).waitFor();
  });
});

/** The content of the browser's clipboard. */
const CLIPBOARD = "navigator.clipboard.readText()";
const LONG_CODE = Array.from({ length: 3000 }, (_, nth) => `line ${nth} of the code`).join("\n");

describe("an answer", () => {
  it("keeps line breaks, has paths to copy, aligns right-to-left text, and copies code completely", async () => {
    const output = `first line\nsecond line\n\n[the file](src/shop/cart.ts#L12), also src/x.ts:7\n\nשלום world\n\n\`\`\`ts\n${LONG_CODE}\n\`\`\``;
    const id = await begin(lab, { title: "Recorded", agent_name: "elsewhere" });
    await lab.server.ask("POST", `/sessions/${id}/turns`, { body: { input: "go", output } });
    const { page, visitor } = await visit(lab, `/s/${id}`);
    await visitor.context.grantPermissions(["clipboard-read", "clipboard-write"]);

    await page.getByText(/Belay does not run the agent “elsewhere”/).waitFor();
    expect(await page.getByRole("textbox", { name: /message/i }).count()).toBe(0);
    const lines = await page.getByText("first line").innerText();
    expect(lines).toBe("first line\nsecond line");
    expect(await page.getByText("שלום world").evaluate(directionOf)).toBe("rtl");
    expect(await page.getByText("first line").evaluate(directionOf)).toBe("ltr");

    await page.getByRole("button", { name: "the file" }).click();
    await expect.poll(() => page.evaluate(CLIPBOARD), SOON).toBe("src/shop/cart.ts:12");
    await page.getByRole("button", { name: "src/x.ts:7" }).click();
    await expect.poll(() => page.evaluate(CLIPBOARD), SOON).toBe("src/x.ts:7");
    await page.getByRole("button", { name: "Show all" }).waitFor();
    const copy = page.getByRole("button", { name: "Copy code" });
    await copy.click();
    await page.getByRole("button", { name: "Copied code" }).waitFor();
    expect(await page.evaluate(CLIPBOARD)).toBe(LONG_CODE);

    await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error())");
    await copy.click();
    await page.getByRole("button", { name: "Not copied code" }).waitFor();
  });
});

function directionOf(element: { matches(selector: string): boolean }): string {
  return element.matches(":dir(rtl)") ? "rtl" : "ltr";
}
