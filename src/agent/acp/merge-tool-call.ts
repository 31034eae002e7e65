import { LIMITS } from "../../contract/limits.ts";
import type { ToolCall } from "../agent-connection.ts";
import { boundJson, boundText } from "./bound-text.ts";
import { describeContent } from "./describe-content.ts";
import type { Fields } from "./read-fields.ts";
import { fieldsOf, listOf, textOf } from "./read-fields.ts";

const LONGEST_TEXT = 8 * 1024;
/** The limit for a result that is stored as a blob. */
const LONGEST_WHOLE = 4 * 1024 * 1024;
const LONGEST_TITLE = 1024;
const LONGEST_PATH = 4096;
const MOST_PATHS = 100;
/** The limit for all texts of all diffs of one call. */
const LONGEST_DIFFS = 64 * 1024;

const STATUSES = ["pending", "in_progress", "completed", "failed"] as const;

/** The state of a call after an update; null if the update does not name a call. */
export function mergeToolCall(
  said: Fields,
  known: (id: string) => ToolCall | undefined,
): ToolCall | null {
  const id = textOf(said.toolCallId);
  if (id === null) return null;
  const before = known(id);
  const diffs = readDiffs(said.content) ?? before?.diffs ?? [];
  return {
    tool_call_id: id,
    title: boundText(
      textOf(said.title) ?? before?.title ?? textOf(said.name) ?? "tool",
      LONGEST_TITLE,
    ),
    tool_kind: boundText(textOf(said.kind) ?? before?.tool_kind ?? "other", LONGEST_TITLE),
    status: STATUSES.find((status) => status === said.status) ?? before?.status ?? "pending",
    input:
      said.rawInput === undefined
        ? (before?.input ?? null)
        : boundJson(said.rawInput, LIMITS.APPROVAL_TEXT),
    ...readOutput(said, before),
    paths: readPaths(said, before, diffs),
    diffs,
  };
}

/**
 * The displayable form of a result is preferred over its raw form. It replaces an earlier one, which may have been a
 * preview for the permission.
 */
function readOutput(said: Fields, before: ToolCall | undefined): Output {
  const whole = readWholeOutput(said, before?.whole_output ?? before?.output ?? null);
  if (whole === null || whole.length <= LONGEST_TEXT) return { output: whole };
  return { output: boundText(whole, LONGEST_TEXT), whole_output: boundText(whole, LONGEST_WHOLE) };
}

type Output = Pick<ToolCall, "output" | "whole_output">;

function readWholeOutput(
  { content, rawOutput, _meta }: Fields,
  before: string | null,
): string | null {
  // Terminals are omitted: they would be the client's, and Belay offers none.
  const shown = listOf(content).flatMap((item) => {
    const { type, content: block } = fieldsOf(item);
    return type === "content" ? (describeContent(block) ?? []) : [];
  });
  if (shown.length > 0) return shown.join("\n");
  if (rawOutput !== undefined && rawOutput !== null) {
    return textOf(rawOutput) ?? JSON.stringify(rawOutput);
  }
  const kept = Array.isArray(content) ? null : before;
  const typed = readTerminal(fieldsOf(_meta));
  return typed === null ? kept : (kept ?? "") + typed;
}

/** The new output of a command, as agents with terminals of their own report it. */
function readTerminal({ terminal_output, terminal_output_delta }: Fields): string | null {
  return textOf(fieldsOf(terminal_output ?? terminal_output_delta).data);
}

function readDiffs(content: unknown): ToolCall["diffs"] | null {
  const said = listOf(content)
    .map(fieldsOf)
    .filter(({ type }) => type === "diff");
  if (said.length === 0) return null;
  let left = LONGEST_DIFFS;
  // A change of one file is kept in full if possible, because a person decides about it.
  const longest = Math.max(LONGEST_TEXT, LONGEST_DIFFS / said.length / 2);
  const take = (text: string): string => {
    const bounded = boundText(text, Math.min(longest, left));
    left = Math.max(0, left - bounded.length);
    return bounded;
  };
  return said.slice(0, MOST_PATHS).map(({ path, oldText, newText }) => {
    const before = textOf(oldText);
    return {
      path: boundText(textOf(path) ?? "", LONGEST_PATH),
      before: before === null ? null : take(before),
      after: take(textOf(newText) ?? ""),
    };
  });
}

function readPaths(
  { locations }: Fields,
  before: ToolCall | undefined,
  diffs: ToolCall["diffs"],
): readonly string[] {
  const said = listOf(locations).flatMap((location) => textOf(fieldsOf(location).path) ?? []);
  const paths = said.length > 0 ? said : (before?.paths ?? []);
  const all = [...paths, ...diffs.map(({ path }) => path)].filter((path) => path !== "");
  return [...new Set(all.map((path) => boundText(path, LONGEST_PATH)))].slice(0, MOST_PATHS);
}
