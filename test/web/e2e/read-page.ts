import { expect } from "vitest";
import { settle, type Visit } from "./web-lab.ts";

/**
 * Reads all of a page, opening folded parts, and returns the visible text. A long page only renders its visible part,
 * so each part is checked for harm separately.
 */
export async function readWhole(visited: Visit): Promise<string> {
  const { page } = visited;
  await settle(page);
  let seen = "";
  for (let part = 0; part < MOST_PARTS; part += 1) {
    await page.evaluate(OPEN_FOLDED);
    seen += squeeze(String(await page.evaluate("document.body.innerText")));
    await expectHarmless(visited);
    if ((await page.evaluate(SCROLL_ON)) !== true) return seen;
    // A frame to draw it, and one for the measurement.
    await page.evaluate("new Promise((done) => setTimeout(done, 40))");
  }
  throw new Error(`${page.url()} does not end`);
}

const MOST_PARTS = 200;
const OPEN_FOLDED = `for (const each of document.querySelectorAll("details")) each.open = true`;

/** Scrolls up if a page starts at its end, otherwise down; false once nothing moves. */
const SCROLL_ON = `(() => {
  const scrollers = [...document.querySelectorAll("main, main *")].filter(
    (each) => each.scrollHeight > each.clientHeight + 4 && getComputedStyle(each).overflowY !== "visible"
      && getComputedStyle(each).overflowY !== "hidden",
  );
  const [box] = scrollers.sort((a, b) => b.scrollHeight - a.scrollHeight);
  if (!box) return false;
  window.__up ??= box.scrollTop > 100;
  const before = box.scrollTop;
  box.scrollTop += (window.__up ? -0.9 : 0.9) * box.clientHeight;
  return Math.abs(box.scrollTop - before) > 1;
})()`;

/** Nothing on the page has run, made a request, or leads somewhere unexpected. */
async function expectHarmless({ page, visitor }: Visit): Promise<void> {
  const { origin } = new URL(page.url());
  expect(visitor.requested.filter((url) => !url.startsWith(`${origin}/`))).toEqual([]);
  expect(page.frames().length).toBe(1);
  const found = await page.evaluate(
    `[window.__pwned === undefined, ${FOREIGN_ELEMENTS}, ${ODD_LINKS}, ${HIDDEN_CHARACTERS}]`,
  );
  expect(found).toEqual([true, [], [], []]);
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

/** Texts with an invisible character, wherever people read or hear them. */
const HIDDEN_CHARACTERS = String.raw`(() => {
  const texts = [document.title];
  const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (nodes.nextNode()) texts.push(nodes.currentNode.data);
  for (const name of ["title", "aria-label", "aria-description", "alt", "placeholder"]) {
    for (const each of document.querySelectorAll("[" + name + "]")) texts.push(name + "=" + each.getAttribute(name));
  }
  return texts.filter((text) => /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/.test(text));
})()`;

/** Pages may change white space. */
export function squeeze(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}
