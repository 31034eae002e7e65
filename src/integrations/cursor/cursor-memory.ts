import { basename, extname } from "node:path";
import { isRecord } from "../../contract/is-record.ts";
import { LIMITS } from "../../contract/limits.ts";
import { readFile } from "../../files/read-file.ts";
import type { ReportDamage } from "../../import/conversation.ts";
import { listIn, recordIn, textIn } from "../../import/fields.ts";
import type { FoundObservation } from "../../import/import-observation.ts";
import { readWholeRecords } from "../../import/read-whole-records.ts";
import type { Fields } from "../../import/record-file.ts";
import { RecordFile } from "../../import/record-file.ts";

/** A session's memory that people or agents wrote below `.cursor/memory/sessions`. */
export const MEMORY = /(?:^|\/)memory\/sessions\/[^/]+\.(?:json|ndjson|jsonl|md)$/;

/** The sessions of a file as observations that are not validated yet. */
export async function* readMemory(
  path: string,
  report: ReportDamage,
): AsyncGenerator<FoundObservation> {
  const name = basename(path, extname(path));
  if (path.endsWith(".md")) {
    const text = readFile(path, { most: LIMITS.BODY_BYTES })?.toString("utf8") ?? "";
    yield { line: 1, observation: observationOf(readMarkdown(text), name) };
    return;
  }
  if (path.endsWith(".json")) {
    for await (const record of readWholeRecords(path, report)) {
      yield { line: 1, observation: observationOf(record, name) };
    }
    return;
  }
  const file = new RecordFile(path);
  try {
    const steps: Fields[] = [];
    const whole: FoundObservation[] = [];
    await file.scan(report, (record, { line }) => {
      if (Array.isArray(record.actions))
        whole.push({ line, observation: observationOf(record, name) });
      else steps.push(record);
    });
    yield* whole;
    // Lines that are not sessions are the actions of one.
    if (steps.length > 0) yield { line: 1, observation: observationOf({ actions: steps }, name) };
  } finally {
    file.close();
  }
}

/** Other names of the same fields in such files. */
const NAMES: Readonly<Record<string, string>> = {
  id: "session_id",
  sessionId: "session_id",
  startedAt: "started_at",
  start: "started_at",
  endedAt: "ended_at",
  end: "ended_at",
};

function observationOf(record: Fields, name: string): Fields {
  const fields = Object.fromEntries(
    Object.entries(record).map(([key, value]) => [NAMES[key] ?? key, value]),
  );
  const times = [...listIn(fields.actions), ...listIn(fields.checkpoints)]
    .flatMap((item) => textIn(recordIn(item).timestamp) ?? [])
    .sort();
  return {
    ...fields,
    session_id: fields.session_id ?? name,
    started_at: fields.started_at ?? times[0],
    ...(typeof fields.duration === "string" && { duration: Number(fields.duration) }),
  };
}

/** Front matter gives the fields; lists below the headings Actions, Checkpoints and Outcomes give the items. */
function readMarkdown(text: string): Fields {
  const [, front = "", body = text] =
    /^---\r?\n([\s\S]*?)\r?\n---\r?\n?([\s\S]*)$/.exec(text) ?? [];
  const fields: Record<string, unknown> = {};
  for (const line of front.split("\n")) {
    const [, key, value = ""] = /^([A-Za-z_]+):\s*(.*?)\s*$/.exec(line) ?? [];
    if (key !== undefined) fields[key] = readValue(value);
  }
  const lists: Record<string, unknown[]> = { actions: [], checkpoints: [], outcomes: [] };
  let list: string | null = null;
  const rest: string[] = [];
  for (const line of body.split("\n")) {
    const heading = /^#+\s*(.+?)\s*$/.exec(line)?.[1]?.toLowerCase();
    if (heading !== undefined) list = Object.hasOwn(lists, heading) ? heading : null;
    const item = /^\s*[-*]\s+(.*?)\s*$/.exec(line)?.[1];
    if (list !== null && item !== undefined) lists[list]?.push(readListItem(list, item));
    else if (heading === undefined && line.trim() !== "") rest.push(line);
  }
  const given = Object.entries(lists).filter(([, items]) => items.length > 0);
  const note = { type: "note", result: "recorded", details: { text: rest.join("\n") } };
  const actions = [...(lists.actions ?? []), ...(rest.length > 0 ? [note] : [])];
  return { ...fields, ...Object.fromEntries(given), ...(actions.length > 0 && { actions }) };
}

/** `2026-01-05T10:00:00Z run_tests: passed`, with an optional time first. */
function readListItem(list: string, item: string): Fields {
  const parsed = readValue(item);
  if (isRecord(parsed)) return parsed;
  const [, time, rest = item] = /^\[?(\d{4}-\d{2}-\d{2}T[^\s\]]+)\]?\s+(.*)$/.exec(item) ?? [];
  const [, name = rest, value] = /^([^:]+):\s*(.*)$/.exec(rest) ?? [];
  const timestamp = time === undefined ? {} : { timestamp: time };
  if (list === "checkpoints") return { name, ...timestamp };
  if (list === "outcomes") return { type: name, ...(value && { id: value }) };
  return { type: name, result: value || "recorded", ...timestamp };
}

function readValue(text: string): unknown {
  const quoted = /^(["'])(.*)\1$/.exec(text)?.[2];
  if (quoted !== undefined) return quoted;
  if (!/^[[{]|^-?\d+(?:\.\d+)?$/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
