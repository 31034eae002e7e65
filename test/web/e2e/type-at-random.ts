import type { Page } from "playwright-core";

/** Words that contain every letter that ever was a shortcut, and typical texts. */
const WORDS = [
  "also update the changelog",
  "yes",
  "no",
  "always",
  "an easy one",
  "is it ready",
  "suspend",
  "exit",
  "i i i",
  "go",
  "gi",
  "gs",
  "jk",
  "#",
  "?",
  "/",
] as const;

const KEYS = [
  "Enter",
  "Enter",
  "Escape",
  "Escape",
  "Backspace",
  "Shift+Enter",
  "ArrowDown",
  "ArrowUp",
  "ArrowLeft",
  "Home",
  "End",
] as const;

/** Types like a person who does not look, for this long. The same seed types the same. */
export async function typeAtRandom(page: Page, seed: number, ms: number): Promise<void> {
  const random = createRandom(seed);
  const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(random() * list.length)];
  for (const end = Date.now() + ms; Date.now() < end; ) {
    const chance = random();
    if (chance < 0.5) await page.keyboard.type(`${pick(WORDS)} `);
    else if (chance < 0.75)
      await page.keyboard.press(pick("abcdefghijklmnopqrstuvwxyz ".split("")) ?? "a");
    else await page.keyboard.press(pick(KEYS) ?? "Enter");
  }
}

/** mulberry32: small, and good enough to choose keys. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
