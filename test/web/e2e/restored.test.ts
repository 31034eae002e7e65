import { cpSync, rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { runBelay } from "../../cli/run-belay.ts";
import { begin, openWebLab, visit } from "./web-lab.ts";

const lab = openWebLab();

describe("a page whose server got an older copy of its data", () => {
  it("shows the session again from there, without a word of alarm, and follows it", async () => {
    const id = await begin(lab, { title: "Restored", agent_name: "elsewhere" });
    const { page, visitor } = await visit(lab, `/s/${id}`);
    visitor.expects(
      /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|status of (410|503)/,
    );
    await page.evaluate("window.__sameDocument = true");
    const say = async (words: string) => {
      const body = { input: "Say it.", output: words };
      const { status } = await lab.server.ask("POST", `/sessions/${id}/turns`, { body });
      expect(status).toBeLessThan(300);
      await page.getByText(words, { exact: true }).waitFor();
    };
    const { home } = lab.place;
    const copy = `${home}-${Date.now()}`;
    await say("kept words");
    const backup = await runBelay(["backup", copy], { cwd: lab.place.root, home });
    expect(backup).toMatchObject({ code: 0 });
    await say("lost words");
    await lab.restart("SIGTERM", () => {
      rmSync(home, { recursive: true });
      cpSync(copy, home, { recursive: true });
    });
    await page.getByText("lost words", { exact: true }).waitFor({ state: "detached" });
    await page.getByText("kept words", { exact: true }).waitFor();
    await say("new words");
    expect((await page.getByRole("alert").allInnerTexts()).join("").trim()).toBe("");
    expect(await page.evaluate("window.__sameDocument")).toBe(true);
  });
});
