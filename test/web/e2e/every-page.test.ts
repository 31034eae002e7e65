import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { sampleSize } from "../../crash/sample-size.ts";
import { findViolations } from "./find-violations.ts";
import { type HostileScene, playHostileScene } from "./hostile-scene.ts";
import { HOSTILE_TEXTS, markOf } from "./hostile-texts.ts";
import { readWhole, squeeze } from "./read-page.ts";
import { approvalOf, openWebLab, settle, visit } from "./web-lab.ts";

const lab = openWebLab();
let scene: HostileScene;
beforeAll(async () => {
  scene = await playHostileScene(lab);
});

describe("text of others", () => {
  it("stays text in the list of sessions", async () => {
    const seen = await visitAll([
      "/",
      "/?status=failed&archived=true",
      "/?q=%3Cscript%3E",
      "/trash",
    ]);
    for (const text of HOSTILE_TEXTS.slice(0, 3)) expect(seen).toContain(squeeze(text));
    expectMarks(seen);
  });

  it("stays text in conversations, from people and from agents", async () => {
    const { recorded, agent, changing, recovering } = scene;
    const seen = await visitAll([
      `/s/${recorded}`,
      `/s/${agent}`,
      `/s/${changing}`,
      `/s/${recovering}`,
    ]);
    for (const text of HOSTILE_TEXTS.slice(0, 3)) expect(seen).toContain(squeeze(text));
    expectMarks(seen);
  });

  it("stays text in the inbox, recovery, timelines, files and insights", async () => {
    const { recorded, agent, recovering } = scene;
    const seen = await visitAll([
      "/inbox",
      "/recovery",
      "/past",
      `/past?of=${recorded}`,
      `/past?of=task-3`,
      `/past?of=${encodeURIComponent(HOSTILE_TEXTS[0] ?? "")}`,
      `/s/${recorded}/timeline`,
      `/s/${agent}/timeline`,
      `/s/${recovering}/timeline`,
      `/s/${recorded}/files`,
      `/s/${recorded}/branches`,
      `/s/${recorded}/compare?with=${agent}`,
      "/numbers",
      "/audit-log?days=all",
      "/s/%3Cscript%3Ewindow.__pwned=1%3C%2Fscript%3E",
    ]);
    expect(seen).toContain(squeeze(HOSTILE_TEXTS[9] ?? ""));
    expect(seen).toContain(squeeze(HOSTILE_TEXTS[6] ?? ""));
  });
});

describe("a rollback", () => {
  it("shows the command for a terminal, and no button that the server would refuse", async () => {
    const { page } = await visit(lab, `/s/${scene.recovering}`);
    await page.getByRole("button", { name: "Roll back …" }).click();
    const dialog = page.getByRole("dialog", { name: "Roll back in a terminal" });
    const command = `npx belay answer ${await approvalOf(lab, scene.recovering)} rollback`;
    await dialog.getByText(command, { exact: true }).waitFor();
    await dialog.getByRole("button", { name: `Copy: ${command}` }).waitFor();
    expect(await dialog.getByRole("listitem").count()).toBe(5);
    expect(await page.getByRole("button", { name: "Roll back", exact: true }).count()).toBe(0);
  });
});

/** Every page, with the longest and oddest content. */
function everyPage(): string[] {
  const { recorded, agent, changing, recovering } = scene;
  const sessions = [`/s/${recorded}`, `/s/${agent}`, `/s/${changing}`, `/s/${recovering}`];
  const parts = [`/s/${agent}/timeline`, `/s/${recorded}/files`, "/past", "/past?of=task-3"];
  const branches = [`/s/${recorded}/branches`, `/s/${recorded}/compare?with=${agent}`];
  const odd = ["/?q=nothing-like-this", "/s/no-such-session"];
  return [
    "/",
    "/inbox",
    "/recovery",
    "/numbers",
    "/import",
    "/trash",
    "/audit-log?days=all",
    ...sessions,
    ...parts,
    ...branches,
    ...odd,
  ];
}

/** In CSS pixels. At 200 % zoom a window of 1280 by 800 has half of them, each drawn with four of the screen's. */
const SIZES = {
  desktop: { width: 1280, height: 800, deviceScaleFactor: 1, mobile: false },
  zoomed: { width: 640, height: 400, deviceScaleFactor: 2, mobile: false },
  phone: { width: 390, height: 844, deviceScaleFactor: 1, mobile: true },
  small: { width: 320, height: 640, deviceScaleFactor: 1, mobile: true },
} as const;

/** Axe needs a second for each size. A sample checks one size of each page, another one for each next page. */
const AXE_EVERY = sampleSize({ full: 1, sample: Object.keys(SIZES).length });

describe("every page", () => {
  it("has no accessibility violation that axe can find, and never scrolls sideways", async () => {
    const found: Record<string, unknown> = {};
    const paths = [...[...everyPage(), "/login"].entries()];
    await Promise.all([check(paths, found), check(paths, found)]);
    expect(found).toEqual({});
  }, 180_000);
});

describe("a picture with the width of its window", () => {
  it("stays inside of a window that has just become narrow, before it is drawn again", async () => {
    for (const path of [`/s/${scene.agent}/timeline`, "/past?of=task-3", "/numbers"]) {
      const { page } = await visit(lab, path);
      await page.locator("main svg[role=img]").first().waitFor();
      expect(await page.evaluate(EXCESS_WHEN_SHRUNK), path).toBe(0);
    }
  });
});

/** Reads the layout in the same step, so that nothing can be drawn in between. */
const EXCESS_WHEN_SHRUNK = `(() => {
  const main = document.querySelector("main");
  main.style.maxWidth = "800px";
  return main.scrollWidth - main.clientWidth;
})()`;

/** Takes paths from the list until none is left. */
async function check(paths: [number, string][], found: Record<string, unknown>): Promise<void> {
  const { page, visitor } = await visit(lab, "/login", { bypassCSP: true });
  // Only an admin sees where the server stores the files of other tools.
  visitor.expects(/status of (401|403|404)/);
  const browser = await page.context().newCDPSession(page);
  for (let next = paths.shift(); next !== undefined; next = paths.shift()) {
    const [nth, path] = next;
    // Only a browser that is not logged in sees the login.
    if (path === "/login") await page.evaluate("localStorage.clear()");
    await goTo(page, `${lab.server.url}${path}`);
    for (const [place, [name, size]] of Object.entries(SIZES).entries()) {
      await browser.send("Emulation.setDeviceMetricsOverride", size);
      await settle(page);
      const violations: unknown[] = [];
      if ((nth + place) % AXE_EVERY === 0) {
        await paint(page, "light");
        violations.push(...(await findViolations(page, null)));
        await paint(page, "dark");
        violations.push(...(await findViolations(page, ["color-contrast"])));
      }
      const width = z.number().parse(await page.evaluate(WIDTH));
      if (width > size.width) violations.push(`${width} pixels wide`);
      if (violations.length > 0) found[`${path} ${name}`] = violations;
    }
    const isLogin = (await page.getByText("This browser is not logged in.").count()) > 0;
    if (isLogin !== (path === "/login")) found[path] = page.url();
  }
}

/** The page may be redirecting itself after the login: then it tries once more. */
async function goTo(page: Page, url: string): Promise<void> {
  try {
    await page.goto(url);
  } catch (error) {
    if (!/ERR_ABORTED|interrupted by another navigation/.test(String(error))) throw error;
    await page.goto(url);
  }
}

async function paint(page: Page, colorScheme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-theme=${colorScheme}]`).waitFor();
}

const WIDTH = `Math.max(...["html", "body", "main"].map((each) => document.querySelector(each)?.scrollWidth ?? 0))`;

/** Reads all of each page, and returns the visible text. */
async function visitAll(paths: readonly string[]): Promise<string> {
  // The login page would go on by itself, into the way of the first of these paths.
  const visited = await visit(lab, "/");
  visited.visitor.expects(/status of (400|404)/);
  let seen = "";
  for (const path of paths) {
    await goTo(visited.page, `${lab.server.url}${path}`);
    seen += await readWhole(visited);
  }
  return seen;
}

function expectMarks(seen: string): void {
  expect(HOSTILE_TEXTS.map(markOf).filter((mark) => !seen.includes(mark))).toEqual([]);
}
