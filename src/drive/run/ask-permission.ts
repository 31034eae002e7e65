import type {
  PermissionAnswer,
  PermissionRequest,
  ToolCall,
} from "../../agent/agent-connection.ts";
import type { SessionCommand } from "../../contract/commands.ts";
import { LIMITS } from "../../contract/limits.ts";
import { shortenText } from "../../contract/visible-text.ts";
import { readRows } from "../../store/read-streams.ts";
import type { StreamStore } from "../../store/stream-store.ts";

/** Turns an agent's request for permission into a question to a person. */
export function permissionQuestion(
  { call, options }: PermissionRequest,
  approval_id: string,
  action_id: string,
): SessionCommand {
  return {
    type: "request_approval",
    approval_id,
    kind: "permission",
    title: shortenText(`${call.tool_kind}: ${call.title}`, LIMITS.TITLE),
    body: describe(call),
    action_id,
    awaited: true,
    expires_at: null,
    options: [...new Set(options.map((option) => option.kind))],
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

/** The answer to a question; null while it is open. */
export async function readAnswer(
  store: StreamStore,
  id: string,
  seq: number,
): Promise<PermissionAnswer> {
  const [row] = await readRows(store, id, { kind: "approval", after: seq - 1, limit: 1 });
  const always = row?.data.always === true;
  switch (row?.data.status) {
    case "approved":
      return { kind: always ? "allow_always" : "allow_once" };
    case "rejected":
      return { kind: always ? "reject_always" : "reject_once" };
    default:
      return { kind: "cancelled" };
  }
}
