import { expect } from "vitest";
import { settle, type Visit } from "./web-lab.ts";

/**
 * Looks at all of a page, opening what is folded, and answers the text that was seen. A long page holds only what can be seen of
 * it, so that it is looked at part by part whether anything in it does harm.
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
    // A frame to draw it, and one for what was measured then.
    await page.evaluate("new Promise((done) => setTimeout(done, 40))");
  }
  throw new Error(`${page.url()} does not end`);
}

const MOST_PARTS = 200;
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
  box.scrollTop += (window.__up ? -0.9 : 0.9) * box.clientHeight;
  return Math.abs(box.scrollTop - before) > 1;
})()`;

/** Nothing of what the page shows has run, asked anybody for anything, or leads somewhere odd. */
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

/** Texts with a character that cannot be seen, wherever people read or hear them. */
const HIDDEN_CHARACTERS = String.raw`(() => {
  const texts = [document.title];
  const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (nodes.nextNode()) texts.push(nodes.currentNode.data);
  for (const name of ["title", "aria-label", "aria-description", "alt", "placeholder"]) {
    for (const each of document.querySelectorAll("[" + name + "]")) texts.push(name + "=" + each.getAttribute(name));
  }
  return texts.filter((text) => /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/.test(text));
})()`;

/** Pages show white space as they like. */
export function squeeze(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}
