/** Cut so that it takes no more than so many columns. */
export function cutLine(line: string, columns: number): string {
  const characters = [...line];
  const widths = characters.map(widthOf);
  if (widths.reduce((sum, width) => sum + width, 0) <= columns) return line;
  let [width, end] = [0, 0];
  while (width + (widths[end] ?? 0) < columns && end < widths.length) {
    width += widths[end] ?? 0;
    end += 1;
  }
  return `${characters.slice(0, end).join("")}…`;
}

/** What may be wide counts as wide: a line that is too short does no harm, one that wraps does. */
function widthOf(character: string): number {
  if (/\p{Mn}|\u200d|\ufe0f/u.test(character)) return 0;
  if (/\p{Emoji_Presentation}/u.test(character)) return 2;
  return /[\u1100-\u115f\u2e80-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uffe6]/.test(character) ||
    character.length > 1
    ? 2
    : 1;
}
