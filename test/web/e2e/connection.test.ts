import { describe, expect, it } from "vitest";
import { begin, countStreams, openPage, openWebLab, visit } from "./web-lab.ts";

const lab = openWebLab();
/** As they came over the wire, also what was loaded ahead. */
const SCRIPT_BYTES = `performance.getEntriesByType("resource")
  .filter((each) => each.name.endsWith(".js"))
  .reduce((sum, each) => sum + each.encodedBodySize, 0)`;

describe("the first load", () => {
  it("brings less than 200 kB of script over the wire", async () => {
    const { page } = await visit(lab, "/");
    const total = await page.evaluate(SCRIPT_BYTES);
    expect(total).toBeGreaterThan(50_000);
    expect(total).toBeLessThan(200_000);
  });
});

describe("many tabs of one browser", () => {
  it("share one feed, and when the one that listens is closed another goes on", async () => {
    await expect.poll(() => countStreams(lab)).toBe(0);
    const { page: first, visitor } = await visit(lab, "/");
    const others = [];
    // More than the connections that a browser has for one server.
    for (let nth = 0; nth < 7; nth += 1) {
      others.push(await openPage(visitor, `${lab.server.url}/`));
    }
    await expect.poll(() => countStreams(lab)).toBe(1);
    await begin(lab, { title: "Seen by all" });
    for (const page of [first, ...others]) await page.getByText("Seen by all").first().waitFor();

    await first.close();
    await expect.poll(() => countStreams(lab)).toBe(1);
    await begin(lab, { title: "Seen by those that are left" });
    for (const page of others) {
      await page.getByText("Seen by those that are left").first().waitFor();
    }
  });
});

describe("a browser that goes offline", () => {
  it("keeps showing what it knows, says so, and goes on by itself", async () => {
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
