import { isRecord } from "../../contract/is-record.ts";
import { visibleText } from "../../contract/visible-text.ts";

/** Characters of one value, and of the whole message. */
const MOST_OF_VALUE = 16_000;
const MOST = 64_000;

const PLACE = /\{\{\s*([^\s{}]+)\s*\}\}/g;

/** Puts what a payload says into a template, once: what is put in is text, whatever it looks like. */
export function renderMessage(template: string, payload: unknown): string {
  const rendered = template.replace(PLACE, (_, path: string) => textAt(payload, path));
  return cut(rendered, MOST).trim();
}

/** What stands at a path, as issue.title or /issue/title; empty where nothing does. */
export function textAt(payload: unknown, path: string): string {
  const steps = path.startsWith("/") ? path.slice(1).split("/").map(readStep) : path.split(".");
  let value = payload;
  for (const step of steps) value = stepInto(value, step);
  return cut(visibleText(textOf(value).slice(0, 2 * MOST_OF_VALUE)), MOST_OF_VALUE);
}

/** As a JSON pointer writes a slash inside of a name. */
function readStep(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}

function stepInto(value: unknown, step: string): unknown {
  if (Array.isArray(value)) return /^\d{1,6}$/.test(step) ? value[Number(step)] : undefined;
  return isRecord(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}
