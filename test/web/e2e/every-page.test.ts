import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { findViolations } from "./find-violations.ts";
import { type HostileScene, playHostileScene } from "./hostile-scene.ts";
import { HOSTILE_TEXTS, markOf } from "./hostile-texts.ts";
import { readWhole, squeeze } from "./read-page.ts";
import { openWebLab, settle, visit } from "./web-lab.ts";

const lab = openWebLab();
let scene: HostileScene;
beforeAll(async () => {
  scene = await playHostileScene(lab);
}, 60_000);

describe("text of others", () => {
  it("stays text in the list of sessions", async () => {
    const seen = await visitAll(["/", "/?status=failed&archived=true", "/?q=%3Cscript%3E"]);
    for (const text of HOSTILE_TEXTS.slice(0, 3)) expect(seen).toContain(squeeze(text));
    expectMarks(seen);
  });

  it("stays text in conversations, whoever said it", async () => {
    const { recorded, agent, recovering } = scene;
    const seen = await visitAll([`/s/${recorded}`, `/s/${agent}`, `/s/${recovering}`]);
    for (const text of HOSTILE_TEXTS.slice(0, 3)) expect(seen).toContain(squeeze(text));
    expectMarks(seen);
  });

  it("stays text in the inbox, in recovery, in timelines and in numbers", async () => {
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
      "/numbers",
      "/s/%3Cscript%3Ewindow.__pwned=1%3C%2Fscript%3E",
    ]);
    expect(seen).toContain(squeeze(HOSTILE_TEXTS[9] ?? ""));
    expect(seen).toContain(squeeze(HOSTILE_TEXTS[6] ?? ""));
  });
});

/** Every page, with the longest and oddest that it may have to show. */
function everyPage(): string[] {
  const { recorded, agent, recovering } = scene;
  const sessions = [`/s/${recorded}`, `/s/${agent}`, `/s/${recovering}`];
  const timelines = [`/s/${agent}/timeline`, "/past", "/past?of=task-3"];
  const odd = ["/login", "/?q=nothing-like-this", "/s/no-such-session"];
  return ["/", "/inbox", "/recovery", "/numbers", ...sessions, ...timelines, ...odd];
}

describe("every page", () => {
  it.each(["light", "dark"] as const)(
    "can be used by everyone, as far as axe can tell: %s",
    async (colorScheme) => {
      const { page, visitor } = await visit(lab, "/login", { colorScheme, bypassCSP: true });
      visitor.expects(/status of (401|404)/);
      const found: Record<string, unknown> = {};
      for (const path of everyPage()) {
        await page.goto(`${lab.server.url}${path}`);
        await settle(page);
        const violations = await findViolations(
          page,
          colorScheme === "dark" ? ["color-contrast"] : null,
        );
        if (violations.length > 0) found[path] = violations;
      }
      expect(found).toEqual({});
    },
    90_000,
  );

  it("fits a phone without scrolling sideways", async () => {
    const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
    const { page, visitor } = await visit(lab, "/login", phone);
    visitor.expects(/status of (401|404)/);
    const wide: Record<string, unknown> = {};
    for (const path of everyPage()) {
      await page.goto(`${lab.server.url}${path}`);
      await settle(page);
      const [is, has] = z.tuple([z.number(), z.number()]).parse(await page.evaluate(WIDTHS));
      if (is > has) wide[path] = is;
    }
    expect(wide).toEqual({});
  }, 60_000);
});

const WIDTHS = `[
  Math.max(...[document.documentElement, document.body, document.querySelector("main")].map((each) => each?.scrollWidth ?? 0)),
  390,
]`;

/** Looks at all of each page, and answers the text that was seen. */
async function visitAll(paths: readonly string[]): Promise<string> {
  const visited = await visit(lab, "/login");
  visited.visitor.expects(/status of (400|404)/);
  let seen = "";
  for (const path of paths) {
    await visited.page.goto(`${lab.server.url}${path}`);
    seen += await readWhole(visited);
  }
  return seen;
}

function expectMarks(seen: string): void {
  expect(HOSTILE_TEXTS.map(markOf).filter((mark) => !seen.includes(mark))).toEqual([]);
}
