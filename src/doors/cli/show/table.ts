import { visibleLine } from "../../../contract/visible-text.ts";
import { cutLine } from "./cut-line.ts";
import { textWidth } from "./text-width.ts";

/** A column of a table: its title and its cells. */
interface Column<T> {
  readonly title: string;
  /** Cut if the table is wider than the terminal; of several, the first is cut first. */
  readonly shrinks?: boolean;
  /** Left out if the others are hard to read otherwise; of several, the last is left out first. */
  readonly optional?: boolean;
  cell(row: T): string;
  paint?(text: string, row: T): string;
}

interface Measured<T> extends Column<T> {
  readonly cells: readonly string[];
  width: number;
}

const GAP = "  ";
/** The least width of a column that shrinks, and the width that it keeps if others can be left out. */
const LEAST = 8;
const READABLE = 16;

export function formatTable<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  width: number,
): string {
  const shown = leaveOut(measure(rows, columns), width);
  for (const column of shown.filter(({ shrinks }) => shrinks)) {
    const excess = totalWidth(shown) - width;
    if (excess > 0) column.width = Math.min(column.width, Math.max(column.width - excess, LEAST));
  }
  const header = shown.map((column) => padTo(column.title, column.width)).join(GAP);
  const body = rows.map((row, nth) =>
    shown
      .map((column) => {
        const text = padTo(column.cells[nth] ?? "", column.width);
        return column.paint ? column.paint(text, row) : text;
      })
      .join(GAP)
      .trimEnd(),
  );
  return [header.trimEnd(), ...body].map((line) => `${line}\n`).join("");
}

function measure<T>(rows: readonly T[], columns: readonly Column<T>[]): Measured<T>[] {
  return columns.map((column) => {
    const cells = rows.map((row) => visibleLine(column.cell(row)));
    return { ...column, cells, width: Math.max(column.title.length, ...cells.map(textWidth)) };
  });
}

/** The columns that fit, if every column that shrinks keeps a readable width. */
function leaveOut<T>(columns: readonly Measured<T>[], width: number): readonly Measured<T>[] {
  const needed = columns.map((column) => ({
    ...column,
    width: column.shrinks ? Math.min(column.width, READABLE) : column.width,
  }));
  const last = columns.findLastIndex(({ optional }) => optional);
  if (last < 0 || totalWidth(needed) <= width) return columns;
  return leaveOut(columns.toSpliced(last, 1), width);
}

function totalWidth(columns: readonly { readonly width: number }[]): number {
  return columns.reduce((sum, column) => sum + column.width + GAP.length, -GAP.length);
}

export function localTime(at: string): string {
  const date = new Date(at);
  const two = (number: number) => String(number).padStart(2, "0");
  return (
    `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ` +
    `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
  );
}

function padTo(text: string, width: number): string {
  const cut = cutLine(text, width);
  return cut + " ".repeat(Math.max(0, width - textWidth(cut)));
}
