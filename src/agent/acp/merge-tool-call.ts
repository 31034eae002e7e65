import { LIMITS } from "../../contract/limits.ts";
import type { ToolCall } from "../agent-connection.ts";
import { boundJson, boundText } from "./bound-text.ts";
import { describeContent } from "./describe-content.ts";
import type { Fields } from "./read-fields.ts";
import { fieldsOf, listOf, textOf } from "./read-fields.ts";

const LONGEST_TEXT = 8 * 1024;
/** Of a result that is kept in a file of its own. */
const LONGEST_WHOLE = 4 * 1024 * 1024;
const LONGEST_TITLE = 1024;
const LONGEST_PATH = 4096;
const MOST_PATHS = 100;
/** Of all texts of all diffs of one call. */
const LONGEST_DIFFS = 64 * 1024;

const STATUSES = ["pending", "in_progress", "completed", "failed"] as const;

/** The call as it is known now, after what an agent says of it; null when it does not say which call it means. */
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
 * What is shown of a result comes before its raw form, which few people can read. It takes the place of what was shown
 * before: that may only have been a preview, for the person who had to allow the call.
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
  // Terminals are left out: they would be the client's, and we lend none.
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

/** What a command has written since the last time, as agents tell it that run commands in terminals of their own. */
function readTerminal({ terminal_output, terminal_output_delta }: Fields): string | null {
  return textOf(fieldsOf(terminal_output ?? terminal_output_delta).data);
}

function readDiffs(content: unknown): ToolCall["diffs"] | null {
  const said = listOf(content)
    .map(fieldsOf)
    .filter(({ type }) => type === "diff");
  if (said.length === 0) return null;
  let left = LONGEST_DIFFS;
  // A change of one file is kept whole if it can be: a person decides about it.
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
