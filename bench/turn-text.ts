const distinctTexts = 64;
const textBytes = 2048;
const words =
  "read the failing test first then open store and follow each append until commit returns no row is lost when process dies between intent result agent asks before it deletes anything 200 404 src main session".split(
    " ",
  );

/** The text of one turn: 2 KB of prose-like words, the same in every run, and no two in a row equal. */
export function turnText(turn: number): string {
  return texts[turn % distinctTexts] ?? "";
}

/** Fills a head to its usual size with varied text. */
export function filler(bytes: number): string {
  return prose(bytes, 7);
}

const texts = Array.from({ length: distinctTexts }, (_, index) => prose(textBytes, index + 1));

function prose(bytes: number, seed: number): string {
  let state = seed * 2_654_435_761;
  let text = "";
  while (text.length < bytes) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += `${words[(state >>> 8) % words.length]} `;
  }
  return text.slice(0, bytes);
}
