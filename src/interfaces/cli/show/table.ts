import { visibleLine } from "../../../contract/visible-text.ts";
import { cutLine } from "./cut-line.ts";
import { textWidth } from "./text-width.ts";

/** A column of a table: its title and its cells. The one shrinkable column is cut to the terminal's width. */
interface Column<T> {
  readonly title: string;
  readonly shrinks?: boolean;
  cell(row: T): string;
  paint?(text: string, row: T): string;
}

const GAP = "  ";

export function formatTable<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  width: number,
): string {
  const cells = rows.map((row) => columns.map((column) => visibleLine(column.cell(row))));
  const widths = columns.map((column, at) =>
    Math.max(column.title.length, ...cells.map((row) => textWidth(row[at] ?? ""))),
  );
  const shrinking = columns.findIndex((column) => column.shrinks);
  if (shrinking >= 0) {
    const others = widths.reduce((sum, one, at) => (at === shrinking ? sum : sum + one), 0);
    const room = width - others - GAP.length * (columns.length - 1);
    widths[shrinking] = Math.min(widths[shrinking] ?? 0, Math.max(room, 8));
  }
  const header = columns.map((column, at) => padTo(column.title, widths[at] ?? 0)).join(GAP);
  const body = rows.map((row, nth) =>
    columns
      .map((column, at) => {
        const text = padTo(cells[nth]?.[at] ?? "", widths[at] ?? 0);
        return column.paint ? column.paint(text, row) : text;
      })
      .join(GAP)
      .trimEnd(),
  );
  return [header.trimEnd(), ...body].map((line) => `${line}\n`).join("");
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
