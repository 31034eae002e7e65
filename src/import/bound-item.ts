import { hash } from "node:crypto";
import { SESSION_ID_PATTERN } from "../contract/id-pattern.ts";
import { LIMITS } from "../contract/limits.ts";
import type { Item } from "./conversation.ts";

/** The limits for one input or output, and for one text that an agent said, in characters. */
const CONTENT = 1024 * 1024;
const SAID = 4 * CONTENT;
const NAME = 200;

/** Another tool's id, if it is valid here; otherwise its digest. */
export function itemId(id: string): string {
  const fits = id.length <= LIMITS.ITEM_ID && SESSION_ID_PATTERN.test(id);
  return fits ? id : `i-${hash("sha256", id).slice(0, 32)}`;
}

/** The same item without the part of its texts that is too long to store. */
export function boundItem(item: Item): Item {
  switch (item.kind) {
    case "prompt":
      return { ...item, text: item.text === null ? null : cut(item.text) };
    case "said":
      return { ...item, text: cut(item.text, SAID) };
    case "called": {
      const { id, name, input } = item;
      return { ...item, id: shortId(id), name: name.slice(0, NAME), input: bounded(input) };
    }
    case "returned":
      return { ...item, id: shortId(item.id), output: cut(item.output) };
    case "compacted":
      return { ...item, id: shortId(item.id), summary: cut(item.summary) };
    case "ended":
      return { ...item, error: item.error === null ? null : cut(item.error) };
    case "used":
      return item;
  }
}

/** Long ids become digests in any case. */
export function shortId(id: string): string {
  return id.length > NAME ? itemId(id) : id;
}

function cut(text: string, most = CONTENT): string {
  if (text.length <= most) return text.toWellFormed();
  return `${text.slice(0, most)}\n[${text.length - most} more characters in the original]`.toWellFormed();
}

function bounded(input: unknown): unknown {
  const text = JSON.stringify(input) ?? "null";
  return text.length <= CONTENT ? (input ?? null) : { cut: cut(text) };
}
