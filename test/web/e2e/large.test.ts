import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { MEASURED } from "../../patience.ts";
import { fillSessions, fillTurns } from "./fill-store.ts";
import { openWebLab, SOON, visit } from "./web-lab.ts";

const SESSIONS = 10_000;
const TURNS = 5000;

const lab = openWebLab(async (place) => {
  await fillTurns(place, TURNS);
  await fillSessions(place, SESSIONS);
});

const WATCH_TASKS = `new PerformanceObserver((list) => {
  (window.__tasks ??= []).push(...list.getEntries().map(({ duration }) => duration));
}).observe({ type: "longtask" })`;
const LONGEST_TASK = `Math.max(0, ...(window.__tasks ?? []))`;
const TASK_MS = 200;

describe("10,000 sessions", () => {
  it(
    "can be scrolled to the last without a stall, with few rows in the page at any time",
    MEASURED,
    async () => {
      const { page } = await visit(lab, "/");
      const rows = page.getByRole("table", { name: "Sessions" }).getByRole("row");
      await page.getByText(`Session number ${SESSIONS}`, { exact: true }).waitFor();
      await page.evaluate(WATCH_TASKS);
      let most = 0;
      const last = page.getByText("A long one", { exact: true });
      await page.mouse.move(640, 500);
      for (const end = Date.now() + 60_000; Date.now() < end && !(await last.isVisible()); ) {
        await page.mouse.wheel(0, 6000);
        most = Math.max(most, await rows.count());
      }
      await last.waitFor();
      expect(most).toBeGreaterThan(10);
      expect(most).toBeLessThan(80);
      expect(await page.evaluate(LONGEST_TASK)).toBeLessThan(TASK_MS);
    },
  );
});

describe(`a session of ${TURNS} turns`, () => {
  it(
    "opens at its end within 2 seconds, and loads earlier turns on scrolling",
    MEASURED,
    async () => {
      const { page } = await visit(lab, "/");
      const at = Date.now();
      await page.goto(`${lab.server.url}/s/long-one`);
      await page.getByText(`Question ${TURNS} of many`).waitFor();
      expect(Date.now() - at).toBeLessThan(2000);
      expect(await page.getByText("Question 1 of many", { exact: true }).count()).toBe(0);

      const first = await earliestShown(page);
      await page.mouse.move(640, 400);
      await expect
        .poll(async () => {
          await page.mouse.wheel(0, -20_000);
          return earliestShown(page);
        }, SOON)
        .toBeLessThan(first - 300);
      expect(await page.evaluate(`document.querySelectorAll("main *").length`)).toBeLessThan(3000);
    },
  );
});

/** The smallest visible question number. */
async function earliestShown(page: Page): Promise<number> {
  const texts = await page.getByText(/^Question \d+ of many$/).allInnerTexts();
  return Math.min(...texts.map((text) => Number(/\d+/.exec(text)?.[0])));
}
