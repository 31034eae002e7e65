import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { type HostileScene, playHostileScene } from "./hostile-scene.ts";
import { HOSTILE_TEXTS, markOf } from "./hostile-texts.ts";
import { openWebLab, settle, type Visit, visit } from "./web-lab.ts";

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
      "/nothing/%3Cimg%20src=x%20onerror=window.__pwned=1%3E",
    ]);
    expect(seen).toContain(squeeze(HOSTILE_TEXTS[9] ?? ""));
    expect(seen).toContain(squeeze(HOSTILE_TEXTS[6] ?? ""));
  });
});

/** Looks at all of each page, and answers the text that was seen. */
async function visitAll(paths: readonly string[]): Promise<string> {
  const first = await visit(lab, "/login");
  first.visitor.expects(/status of (400|404)/);
  let seen = "";
  for (const path of paths) {
    await first.page.goto(`${lab.server.url}${path}`);
    seen += await readWhole(first.page);
    await expectHarmless(first);
  }
  return seen;
}

/** Opens what is folded and scrolls to the other end: a long page holds only what can be seen of it. */
async function readWhole(page: Page): Promise<string> {
  await settle(page);
  let seen = "";
  for (let part = 0; part < 40; part += 1) {
    await page.evaluate(OPEN_FOLDED);
    const now = squeeze(String(await page.evaluate("document.body.innerText")));
    seen += now;
    if ((await page.evaluate(SCROLL_ON)) !== true) return seen;
    await page.evaluate("new Promise((done) => setTimeout(done, 60))");
  }
  return seen;
}

const OPEN_FOLDED = `for (const each of document.querySelectorAll("details")) each.open = true`;

/** Up where a page begins at its end, down elsewhere; false once nothing moves any more. */
const SCROLL_ON = `(() => {
  const scrollers = [...document.querySelectorAll("main, main *")].filter(
    (each) => each.scrollHeight > each.clientHeight + 4 && getComputedStyle(each).overflowY !== "visible"
      && getComputedStyle(each).overflowY !== "hidden",
  );
  const [box] = scrollers.sort((a, b) => b.scrollHeight - a.scrollHeight);
  if (!box) return false;
  window.__up ??= box.scrollTop > 100;
  const before = box.scrollTop;
  box.scrollTop += (window.__up ? -0.7 : 0.7) * box.clientHeight;
  return Math.abs(box.scrollTop - before) > 1;
})()`;

async function expectHarmless({ page, visitor }: Visit): Promise<void> {
  expect(await page.evaluate("window.__pwned")).toBeUndefined();
  const { origin } = new URL(lab.server.url);
  expect(page.url().startsWith(origin)).toBe(true);
  expect(visitor.requested.filter((url) => !url.startsWith(`${origin}/`))).toEqual([]);
  expect(page.frames().length).toBe(1);
  expect(await page.evaluate(FOREIGN_ELEMENTS)).toEqual([]);
  expect(await page.evaluate(ODD_LINKS)).toEqual([]);
}

const FOREIGN_ELEMENTS = `[...document.querySelectorAll(
  "iframe, object, embed, base, form[action], math, template, video, audio, style, link, script, img, meta[http-equiv], "
  + "[onerror], [onload], [ontoggle], [onbegin]",
)].filter((each) => !(each.src ?? each.href ?? "").startsWith?.(location.origin + "/assets/")).map((each) => each.outerHTML.slice(0, 200))`;

const ODD_LINKS = `[...document.querySelectorAll("a[href]")]
  .filter((each) => each.origin !== location.origin)
  .filter((each) => !/^(https?|mailto):$/.test(each.protocol)
    || each.target !== "_blank" || !/noopener/.test(each.rel) || !/noreferrer/.test(each.rel))
  .map((each) => each.outerHTML.slice(0, 200))`;

function expectMarks(seen: string): void {
  expect(HOSTILE_TEXTS.map(markOf).filter((mark) => !seen.includes(mark))).toEqual([]);
}

/** Pages show white space as they like. */
function squeeze(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}
