import { textWidth } from "./text-width.ts";

/** Cuts a line to at most `columns` columns. It reads no further, however long the line is. */
export function cutLine(line: string, columns: number): string {
  let [kept, width] = ["", 0];
  for (const character of line) {
    width += textWidth(character);
    if (width > columns) return `${kept}…`;
    if (width < columns) kept += character;
  }
  return line;
}
