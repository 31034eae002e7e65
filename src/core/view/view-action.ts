import { isRecord } from "../../contract/is-record.ts";
import type { ApprovalAction } from "../../contract/session.ts";
import type { StoredRow } from "../../contract/stream.ts";
import { shortenText } from "../../contract/visible-text.ts";
import { EFFECTS } from "../../contract/vocabulary.ts";

import { diffsOf } from "./run-events.ts";

const LONGEST_TEXT = 8 * 1024;
/** The size limit for all diffs of one action together. */
const LONGEST_DIFFS = 32 * 1024;
const MOST_DIFFS = 100;
/** Lines that are shown above and below a change. */
const AROUND = 3;

type Diff = ReturnType<typeof diffsOf>[number];

/**
 * An action as the person who decides about it sees it, built from its index row and limited in
 * size.
 */
export function viewAction({ data }: StoredRow): ApprovalAction {
  const details = isRecord(data.details) ? data.details : {};
  const type = String(data.type);
  return {
    action_id: String(data.action_id),
    type,
    title: shortenText(typeof details.title === "string" ? details.title : type, LONGEST_TEXT),
    effects: EFFECTS.find((effects) => effects === data.effects) ?? "unknown",
    input: boundInput(details.input ?? null),
    diffs: boundDiffs(diffsOf(details.diffs)),
  };
}

/** The value itself if its JSON is short; otherwise the start and the end of its JSON. */
function boundInput(input: unknown): unknown {
  const json = JSON.stringify(input) ?? "null";
  return json.length <= LONGEST_TEXT ? input : shortenText(json, LONGEST_TEXT);
}

function boundDiffs(diffs: readonly Diff[]): ApprovalAction["diffs"] {
  let left = LONGEST_DIFFS;
  const take = (text: string): string => {
    const taken = shortenText(text, Math.min(LONGEST_TEXT, left));
    left = Math.max(0, left - text.length);
    return taken;
  };
  const shown = diffs
    .slice(0, MOST_DIFFS)
    .map(leaveOutAlike)
    .map(({ path, before, after }) => ({
      path: shortenText(path, LONGEST_TEXT),
      before: before === null ? null : take(before),
      after: take(after),
    }));
  const rest = diffs.length - shown.length;
  return rest > 0 ? [...shown, { path: `[cut: ${rest} more]`, before: null, after: "" }] : shown;
}

/**
 * For a long file, only the changed lines and the lines around them, because the person decides
 * about the change.
 */
function leaveOutAlike(diff: Diff): Diff {
  const { path, before, after } = diff;
  if (before === null || Math.max(before.length, after.length) <= LONGEST_TEXT) return diff;
  const [old, now] = [before.split("\n"), after.split("\n")];
  const most = Math.min(old.length, now.length);
  let first = 0;
  while (first < most && old[first] === now[first]) first += 1;
  let last = 0;
  while (last < most - first && old.at(-1 - last) === now.at(-1 - last)) last += 1;
  const above = Math.max(0, first - AROUND);
  const below = Math.max(0, last - AROUND);
  const between = (lines: readonly string[]): string =>
    [...left(above), ...lines.slice(above, lines.length - below), ...left(below)].join("\n");
  return { path, before: between(old), after: between(now) };
}

function left(lines: number): string[] {
  return lines > 0 ? [`[${lines} lines alike]`] : [];
}
