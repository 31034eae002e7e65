import { isSessionId } from "../../contract/id-pattern.ts";
import { isRecord } from "../../contract/is-record.ts";
import type { Beginning, Seen, Sighting } from "../../core/observation/sighting.ts";

/** A sighting with its owner. */
export interface SpooledSighting {
  readonly owner: string;
  readonly sighting: Sighting;
}

/** Reads a spooled sighting field by field; null for anything else. */
export function readSpooled(text: string): SpooledSighting | null {
  const value = parse(text);
  if (!isRecord(value) || !isRecord(value.sighting) || !isText(value.owner)) return null;
  const { key, at, actor, trace_id, session_id, recorder, begin, seen } = value.sighting;
  if (!isText(key) || !isText(actor) || !isTextOrNull(trace_id)) return null;
  if (typeof at !== "number" || !Number.isSafeInteger(at) || at < 0) return null;
  if (recorder !== undefined && !isText(recorder)) return null;
  if (!isText(session_id) || !isSessionId(session_id)) return null;
  const beginning = begin === null ? null : readBeginning(begin);
  const what = readSeen(seen);
  if (beginning === undefined || !what) return null;
  return {
    owner: value.owner,
    sighting: { key, at, actor, trace_id, session_id, recorder, begin: beginning, seen: what },
  };
}

function readBeginning(value: unknown): Beginning | undefined {
  if (!isRecord(value) || !isRecord(value.metadata)) return undefined;
  const { agent_name, cwd, supports_resume } = value;
  if (!isText(agent_name) || !isTextOrNull(cwd) || typeof supports_resume !== "boolean") {
    return undefined;
  }
  const metadata: Record<string, string> = {};
  for (const [key, item] of Object.entries(value.metadata)) {
    if (!isText(item)) return undefined;
    metadata[key] = item;
  }
  return { agent_name, cwd, metadata, supports_resume };
}

function readSeen(value: unknown): Seen | null {
  if (!isRecord(value)) return null;
  const { kind, turn_id, content, output, outcome, summary, error, reason, trigger } = value;
  switch (kind) {
    case "opened":
    case "delegated":
      return { kind };
    case "prompted":
      return isText(turn_id) && isTextOrNull(content) ? { kind, turn_id, content } : null;
    case "answered":
      return isTextOrNull(turn_id) && isText(output) ? { kind, turn_id, output } : null;
    case "returned":
      if (outcome !== "completed" && outcome !== "failed") return null;
      if (!isText(output) || !isText(reason)) return null;
      if (!isTextOrNull(summary) || !isTextOrNull(error)) return null;
      return { kind, outcome, output, summary, error, reason };
    case "compacting":
      return isText(trigger) ? { kind, trigger } : null;
    case "left":
      return isText(reason) ? { kind, reason } : null;
    default:
      return null;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || isText(value);
}
