import { describe, expect, it } from "vitest";
import { begin, countStreams, openPage, openWebLab, SOON, visit } from "./web-lab.ts";

const lab = openWebLab();
/** The transferred size, including preloaded scripts. */
const SCRIPT_BYTES = `performance.getEntriesByType("resource")
  .filter((each) => each.name.endsWith(".js"))
  .reduce((sum, each) => sum + each.encodedBodySize, 0)`;

describe("the first load", () => {
  it("transfers less than 200 kB of scripts", async () => {
    const { page } = await visit(lab, "/");
    const total = await page.evaluate(SCRIPT_BYTES);
    expect(total).toBeGreaterThan(50_000);
    expect(total).toBeLessThan(200_000);
  });
});

describe("many tabs of one browser", () => {
  it("share one feed, and another tab continues when the listening tab is closed", async () => {
    await expect.poll(() => countStreams(lab), SOON).toBe(0);
    const { page: first, visitor } = await visit(lab, "/");
    const others = [];
    // More than a browser's connections to one server.
    for (let nth = 0; nth < 7; nth += 1) {
      others.push(await openPage(visitor, `${lab.server.url}/`));
    }
    await expect.poll(() => countStreams(lab), SOON).toBe(1);
    await begin(lab, { title: "Seen by all" });
    for (const page of [first, ...others]) await page.getByText("Seen by all").first().waitFor();

    await first.close();
    await expect.poll(() => countStreams(lab), SOON).toBe(1);
    await begin(lab, { title: "Seen by those that are left" });
    for (const page of others) {
      await page.getByText("Seen by those that are left").first().waitFor();
    }
  });
});

async function record(id: string, output: string): Promise<void> {
  const body = { input: "a question", output };
  await lab.server.ask("POST", `/sessions/${id}/turns`, { body });
}

describe("more tabs of sessions than a browser has connections", () => {
  it("all show their session: hidden tabs hold no connection, and continue when visible", async () => {
    const { visitor } = await visit(lab, "/");
    const ids: string[] = [];
    for (let nth = 0; nth < 8; nth += 1) {
      ids.push(await begin(lab, { agent_name: "elsewhere", title: `Tab ${nth}` }));
      await record(ids[nth] ?? "", `answer ${nth}`);
    }
    const behind = [];
    for (const [nth, id] of ids.entries()) {
      const page = await visitor.context.newPage();
      await page.addInitScript(HIDDEN);
      await page.goto(`${lab.server.url}/s/${id}`);
      await page.getByText(`answer ${nth}`, { exact: true }).waitFor();
      behind.push({ page, id });
    }
    await expect.poll(() => countStreams(lab), SOON).toBe(1);
    for (const { page, id } of behind.slice(0, 3)) {
      await record(id, "said while nobody looked");
      await page.evaluate(SHOW);
      await page.getByText("said while nobody looked", { exact: true }).waitFor();
    }
    expect(await countStreams(lab)).toBe(4);
  });
});

/** In a headless browser every tab counts as visible. */
const HIDDEN = `window.__hidden = true;
Object.defineProperty(Document.prototype, "hidden", { get: () => window.__hidden })`;
const SHOW = `window.__hidden = false; document.dispatchEvent(new Event("visibilitychange"))`;

describe("a browser that goes offline", () => {
  it("keeps its content, shows that it is offline, and continues by itself", async () => {
    await begin(lab, { title: "Known before" });
    const { page, visitor } = await visit(lab, "/");
    visitor.expects(/ERR_INTERNET_DISCONNECTED/);
    await page.getByText("Known before").first().waitFor();
    await visitor.context.setOffline(true);
    await page.getByText("This device is offline.").waitFor();
    await begin(lab, { title: "Begun meanwhile" });
    expect(await page.getByText("Known before").count()).toBeGreaterThan(0);
    await visitor.context.setOffline(false);
    await page.getByText("This device is offline.").waitFor({ state: "detached" });
    await page.getByText("Begun meanwhile").first().waitFor();
  });
});

describe("the time that a turn has taken", () => {
  it("stops while the server cannot be reached", async () => {
    const id = await begin(lab, { title: "Counts" }, "/run touch counts");
    const { page, visitor } = await visit(lab, `/s/${id}`);
    visitor.expects(/ERR_INTERNET_DISCONNECTED/);
    const elapsed = page.getByText(/^\d+ s$/);
    await elapsed.waitFor();
    await visitor.context.setOffline(true);
    await page.getByText("This device is offline.").waitFor();
    const shown = await elapsed.innerText();
    // Only waiting shows that something does not happen.
    await page.waitForTimeout(2500);
    expect(await elapsed.innerText()).toBe(shown);
    await visitor.context.setOffline(false);
    await expect.poll(() => elapsed.innerText(), SOON).not.toBe(shown);
  });
});
