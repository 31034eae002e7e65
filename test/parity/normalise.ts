import { ACTOR } from "./door.ts";

/** Always different. */
const REPLACED = new Set([
  "actor",
  // The actor of a decision.
  "by",
  "interface",
  // For a task: its interface.
  "source",
  "trace_id",
  "hash",
  "digest",
  "token",
]);
/** Opaque or measured: only its presence can be compared. */
const MEASURED = /^(?:(?:.+_)?duration(?:_m?s)?|purge_at|cursor|next_cursor|context_bytes|driver)$/;

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
/** An agent that submits its session has the name of its submitter. */
const TOKEN_ACTOR = "token:server-token";
/** The path of a public link, with its secret. */
const LINK = /\/link#[0-9a-f]{32}_[\w-]{22}/g;
const DAY = /^\d{4}-\d\d-\d\d$/;
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/**
 * A value independent of time, folder and interface. Ids become their number in order of appearance, so that equal ids
 * stay equal.
 */
export function normalise(value: unknown, folder: string): unknown {
  const ids = new Map<string, string>();
  const nameOf = (id: string): string => {
    const known = ids.get(id) ?? `<id ${ids.size + 1}>`;
    ids.set(id, known);
    return known;
  };
  const text = (given: string): string =>
    given
      .replaceAll(folder, "<folder>")
      .replaceAll(TOKEN_ACTOR, ACTOR)
      .replace(LINK, "<link>")
      .replace(ID, nameOf)
      .replace(TIME, "<time>");

  const walk = (given: unknown): unknown => {
    if (typeof given === "string") return text(given);
    if (Array.isArray(given)) return given.filter(isNotOwn).sort(byName).map(walk);
    if (typeof given !== "object" || given === null) return given;
    return Object.fromEntries(
      Object.entries(given).map(([key, held]) => {
        if (REPLACED.has(key)) return [key, `<${key}>`];
        if (MEASURED.test(key) || isIdleness(given, key))
          return [key, held === null ? null : `<${key}>`];
        return [DAY.test(key) ? "<day>" : text(key), walk(held)];
      }),
    );
  };
  return walk(value);
}

/** Lists are sorted by the minute of the last activity, which depends on the clock if a scenario crosses one. */
function byName(a: unknown, b: unknown): number {
  return nameOf(a).localeCompare(nameOf(b));
}

/** The name of a list item. Other items keep their place. */
function nameOf(item: unknown): string {
  if (typeof item !== "object" || item === null || "timestamp" in item) return "";
  if ("session_id" in item && "agent_name" in item) return String(item.session_id);
  return "task_id" in item && "title" in item ? String(item.title) : "";
}

/** A server authenticates its own user with a token of its own. */
function isNotOwn(item: unknown): boolean {
  return !(
    typeof item === "object" &&
    item !== null &&
    "name" in item &&
    item.name === "server-token"
  );
}

/** One of the checks of should_resume measures idle time. */
function isIdleness(check: object, key: string): boolean {
  return key === "value" && "check" in check && check.check === "idle";
}
