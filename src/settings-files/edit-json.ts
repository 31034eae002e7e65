import type { JsonArray, JsonObject } from "./jsonc.ts";

type Container = JsonObject | JsonArray;

/** The layout of a text. */
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

/** Appends a value to a container. It only adds text, and `removeChild` removes exactly that text again. */
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

/** The text without the child; null if that would leave a container that `addChild` created with it. */
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

/** Spaces after the only child of a container mark that the container existed before, empty or with only spaces. */
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
