import { readFileSync, writeFileSync } from "node:fs";

export function toMarkdown(rows: readonly (readonly string[])[]): string[] {
  const lines = rows.map((row) => `| ${row.join(" | ")} |`);
  return lines.toSpliced(1, 0, `|${"---|".repeat(rows[0]?.length ?? 0)}`);
}

/** Replaces the text between two markers in a document. */
export function replaceBetween(path: string, name: string, text: string): void {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [before, rest] = readFileSync(path, "utf8").split(start);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined) throw new Error(`${path} has no ${start}`);
  writeFileSync(path, `${before}${start}\n${text}\n${end}${after}`);
}
