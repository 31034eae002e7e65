import { isRecord } from "../../contract/is-record.ts";

/** The parts of an event that a transcript shows. */
interface ShownEvent {
  readonly type: string;
  readonly at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Renders the events of a session as Markdown, one after the other. The parts of an answer become one text. */
export function createTranscript(): (event: ShownEvent) => string {
  let open: string | null = null;
  const titles = new Map<unknown, string>();
  return ({ type, at, data }) => {
    if (type === "turn.part") {
      const item = `${textOf(data.turn_id)} ${textOf(data.item)}`;
      const isNew = item !== open;
      open = item;
      const heading = `### ${HEADINGS.get(data.kind) ?? "Agent"}`;
      return isNew ? `\n\n${heading}\n\n${textOf(data.text)}` : textOf(data.text);
    }
    open = null;
    const { action_id } = data;
    const title = titleOf(data) ?? titles.get(action_id) ?? textOf(data.type);
    if (type.startsWith("action.")) titles.set(action_id, title);
    switch (type) {
      case "message.queued":
        return `\n\n## User, ${at}\n\n${textOf(data.content)}`;
      case "turn.started":
        // A queued message was already shown.
        return data.content === null ? "" : `\n\n## User, ${at}\n\n${textOf(data.content)}`;
      case "turn.recorded":
        return `\n\n## User, ${at}\n\n${textOf(data.input)}\n\n### Agent\n\n${textOf(data.output)}`;
      case "action.started":
        return `\n\n### Tool call: ${oneLine(title)}${block(details(data).input)}`;
      case "action.completed":
        return `\n\n### Result of ${oneLine(title)}: ${textOf(data.status)}${block(outputOf(data))}`;
      case "approval.requested":
        return `\n\n### Permission requested: ${oneLine(textOf(data.title))}${block(data.body)}`;
      case "approval.decided":
        return `\n\nAnswer: ${textOf(data.decision)}. ${textOf(data.note)}`.trimEnd();
      case "error.recorded":
        return `\n\nError: ${textOf(data.error)}`;
      case "turn.ended":
        return typeof data.error === "string" ? `\n\nError: ${data.error}` : "";
      case "session.completed":
      case "session.failed":
      case "session.cancelled":
        return `\n\n## ${type.replace("session.", "Session ")}, ${at}\n\n${textOf(data.summary)}`.trimEnd();
      default:
        return "";
    }
  };
}

const HEADINGS: ReadonlyMap<unknown, string> = new Map([
  ["thought", "Thought"],
  ["plan", "Plan"],
]);

function details(data: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return isRecord(data.details) ? data.details : {};
}

function titleOf(data: Readonly<Record<string, unknown>>): string | null {
  const { title } = details(data);
  return typeof title === "string" ? title : null;
}

function outputOf(data: Readonly<Record<string, unknown>>): unknown {
  const { title: _, ...rest } = details(data);
  return Object.keys(rest).length > 0 ? rest : data.result;
}

/** A code fence that no line of its content can close. */
function block(value: unknown): string {
  if (value === undefined || value === null || value === "") return "";
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([fence]) => fence.length));
  const fence = "`".repeat(longest + 1);
  return `\n\n${fence}\n${text}\n${fence}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

function textOf(value: unknown): string {
  return value === null || value === undefined ? "" : String(value);
}
