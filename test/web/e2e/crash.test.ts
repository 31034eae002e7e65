import { describe, expect, it } from "vitest";
import { listOf, recordOf } from "../../serve/server-process.ts";
import { begin, openWebLab, SOON, send, until, visit } from "./web-lab.ts";

const lab = openWebLab();

/** The agent's text in the log. */
async function storedText(id: string): Promise<string> {
  const { json } = await lab.server.ask("GET", `/sessions/${id}/events?limit=1000`);
  return listOf(json, "events")
    .filter(({ type }) => type === "turn.part")
    .map(({ data }) => recordOf(data).text ?? "")
    .join("");
}

describe("a page whose server is killed in the middle of a turn", () => {
  it("reports it, reconnects by itself, and shows the result of recovery and no line twice", async () => {
    const id = await begin(lab, { title: "Cut off" });
    const { page, visitor } = await visit(lab, `/s/${id}`);
    visitor.expects(
      /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/,
    );
    await page.evaluate("window.__sameDocument = true");
    await send(lab, id, "/pace 60\n/chunks 2000 8");
    const pieces = async () => {
      const text = await page.getByRole("main").innerText();
      return [...text.matchAll(/(\d+) \.{3,}/g)].map(([, nth]) => Number(nth));
    };
    await expect.poll(pieces, SOON).toContain(40);

    const banner = page.getByText("The server does not answer. Reconnecting …");
    const gone = banner.waitFor();
    const restarted = lab.restart("SIGKILL");
    await gone;
    // The known text stays.
    expect(await pieces()).toContain(40);
    await restarted;
    await banner.waitFor({ state: "detached" });
    await page
      .getByText(/Interrupted/)
      .first()
      .waitFor();
    const stored = await until("what is stored", () => storedText(id));
    const last = Math.max(...[...stored.matchAll(/(\d+) \./g)].map(([, nth]) => Number(nth)));
    const all = Array.from({ length: last }, (_, at) => at + 1);
    // Text that was seen and not yet stored is gone: nothing is shown that is not in the log.
    await expect.poll(pieces, SOON).toEqual(all);
    expect(await page.evaluate("window.__sameDocument")).toBe(true);

    await page.getByRole("textbox", { name: /message/i }).fill("/say and on we go");
    await page.keyboard.press("Enter");
    await page.getByText(/^and on we go/).waitFor();
    await expect.poll(pieces, SOON).toEqual(all);
  });
});
