import type { PermissionRequest, ToolCall } from "../../agent/agent-connection.ts";
import type { ApprovalChoice } from "../../contract/approval/approval-choice.ts";
import type { SessionCommand } from "../../contract/commands.ts";
import { LIMITS } from "../../contract/limits.ts";
import { shortenText } from "../../contract/visible-text.ts";
import { chooseOption } from "../../core/session/choose-option.ts";
import { isRefusal } from "../../core/session/decision.ts";
import { knownEvent } from "../../service/read/read-head-at.ts";
import { readEvents, readRows } from "../../store/read-streams.ts";
import type { StreamStore } from "../../store/stream-store.ts";

/** Turns an agent's request for permission into a question to a person. */
export function permissionQuestion(
  { call, options, missing }: PermissionRequest,
  approval_id: string,
  action_id: string,
): SessionCommand<"request_approval"> {
  return {
    type: "request_approval",
    approval_id,
    kind: "permission",
    title: shortenText(`${call.tool_kind}: ${call.title}`, LIMITS.TITLE),
    body: describe(call),
    action_id,
    awaited: true,
    expires_at: null,
    options: [...new Set(options.flatMap(({ kind }) => (kind === "other" ? [] : kind)))],
    choices: options,
    missing_choices: missing,
  };
}

/** Describes the tool call as exactly as the agent does. */
function describe({ input, paths, diffs }: ToolCall): string | null {
  const lines = [
    ...paths,
    ...diffs.flatMap(({ path, before, after }) => [
      `--- ${path}`,
      ...marked("-", before ?? ""),
      ...marked("+", after),
    ]),
    ...(input === null || input === undefined || diffs.length > 0
      ? []
      : [typeof input === "string" ? input : JSON.stringify(input)]),
  ];
  return lines.length === 0 ? null : shortenText(lines.join("\n"), LIMITS.APPROVAL_TEXT);
}

function marked(sign: string, text: string): string[] {
  return text === "" ? [] : text.split("\n").map((line) => `${sign}${line}`);
}

/**
 * The option that a person chose, from the event that closed the question of event `seq`. The answer of an older version
 * names none, so it counts only if it means one.
 */
export async function readAnswer(
  store: StreamStore,
  id: string,
  asked: SessionCommand<"request_approval">,
  seq: number,
): Promise<ApprovalChoice | null> {
  const [row] = await readRows(store, id, { kind: "approval", after: seq - 1, limit: 1 });
  if (!row) return null;
  const [stored] = await readEvents(store, id, { after: row.seq - 1, limit: 1 });
  const event = stored && knownEvent(stored);
  if (event?.type !== "approval.decided") return null;
  if (event.data.choice) return event.data.choice;
  const chosen = chooseOption(event.data, asked);
  return isRefusal(chosen) ? null : chosen.choice;
}
