import { isRecord } from "../../contract/is-record.ts";
import { shortenText, visibleText } from "../../contract/visible-text.ts";

/** The limits for one value and for the whole message, in characters. */
const MOST_OF_VALUE = 16_000;
const MOST = 64_000;

const PLACE = /\{\{\s*([^\s{}]+)\s*\}\}/g;

/** Inserts values of a payload into a template in one pass, so that inserted text is never interpreted. */
export function renderMessage(template: string, payload: unknown): string {
  const rendered = template.replace(PLACE, (_, path: string) => textAt(payload, path));
  return shortenText(rendered, MOST).trim();
}

/** The value at a path, such as issue.title or /issue/title; empty if there is none. */
export function textAt(payload: unknown, path: string): string {
  const steps = path.startsWith("/") ? path.slice(1).split("/").map(readStep) : path.split(".");
  let value = payload;
  for (const step of steps) value = stepInto(value, step);
  // Characters that are made visible become longer.
  return shortenText(visibleText(shortenText(textOf(value), MOST_OF_VALUE)), MOST_OF_VALUE);
}

/** Decodes a step of a JSON pointer. */
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
