import type { JsonArray, JsonObject } from "./jsonc.ts";

type Container = JsonObject | JsonArray;

/** How a text is laid out. */
export interface Layout {
  readonly newline: string;
  readonly unit: string;
}

export function layoutOf(text: string, root: Container): Layout {
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const [first] = root.children;
  const before = first ? text.slice(root.start + 1, first.start) : "";
  const unit = /[\r\n]([ \t]+)$/.exec(before)?.[1] ?? "  ";
  return { newline, unit };
}

/** Puts one more value at the end of a container. Only text is added; `removeChild` takes exactly that away again. */
export function addChild(
  text: string,
  container: Container,
  key: string | null,
  value: unknown,
  layout: Layout,
): string {
  const { newline, unit } = layout;
  const [first] = container.children;
  const last = container.children.at(-1);
  const name = key === null ? "" : `${JSON.stringify(key)}: `;
  const outer = indentAt(text, container.start);
  if (!first || !last) {
    const inner = text.slice(container.start + 1, container.end - 1);
    const child = `${newline}${outer}${unit}${name}${render(value, outer + unit, layout)}`;
    const mark = inner === "" ? `${WAS_EMPTY}${newline}${outer}` : WAS_BLANK;
    return insert(text, container.start + 1, child + mark);
  }
  const before = text.slice(container.start + 1, first.start);
  if (!/[\r\n]/.test(before)) {
    return insert(text, last.end, `, ${name}${JSON.stringify(value)}`);
  }
  const indent = indentAt(text, last.start);
  return insert(text, last.end, `,${newline}${indent}${name}${render(value, indent, layout)}`);
}

/** Without the child; null where that would leave a container that `addChild` has brought along with it. */
export function removeChild(
  text: string,
  container: Container,
  index: number,
  { newline }: Layout,
): string | null {
  const { children } = container;
  const child = children[index];
  const previous = children[index - 1];
  const next = children[index + 1];
  if (!child) return text;
  if (previous) {
    const between = text.slice(previous.end, child.start);
    const kept = /^\s*,\s*$/.test(between) ? "" : between.replace(",", "");
    return text.slice(0, previous.end) + kept + text.slice(child.end);
  }
  if (next) return text.slice(0, child.start) + text.slice(next.start);
  const gap = text.slice(child.end, container.end - 1);
  const outer = indentAt(text, container.start);
  if (!gap.startsWith(WAS_BLANK)) return null;
  const inner = gap === `${WAS_EMPTY}${newline}${outer}` ? "" : gap.slice(WAS_BLANK.length);
  return text.slice(0, container.start + 1) + inner + text.slice(container.end - 1);
}

/** Blanks after the only child of a container tell that it was there before, with nothing or only blanks in it. */
const WAS_EMPTY = "  ";
const WAS_BLANK = " ";

function render(value: unknown, indent: string, { newline, unit }: Layout): string {
  return JSON.stringify(value, null, unit).split("\n").join(`${newline}${indent}`);
}

function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf("\n", at - 1) + 1, at);
  return /^\uFEFF?([ \t]*)/.exec(line)?.[1] ?? "";
}

function insert(text: string, at: number, more: string): string {
  return text.slice(0, at) + more + text.slice(at);
}
