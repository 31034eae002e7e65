import type { SessionCommand } from "../../contract/commands.ts";
import type { SessionHead } from "../../contract/head.ts";
import type { OpenCall } from "../../core/settle-death.ts";
import { settleDeath } from "../../core/settle-death.ts";
import { endMarked } from "../../process/process-tree.ts";
import type { StoredStream } from "../../store/stream-store.ts";
import { knownEvent } from "../read-head-at.ts";
import type { RunContext } from "./run-context.ts";

/**
 * What whoever takes a session over owes it first: processes of a driver that died are ended, and all that they left
 * open gets its one result. Answers the commands for it; none where nobody had died.
 */
export async function settleSession(
  run: RunContext,
  stream: StoredStream,
  head: SessionHead,
): Promise<SessionCommand[]> {
  // Whatever runs for a session that nobody drives has been left behind.
  await endMarked(stream.id, run.limits.leftovers);
  const { commands, unknown } = settleDeath(head, await readOpenCalls(run, stream.id, head));
  return [...commands, ...askAbout(unknown, run.newId())];
}

/** One question for all of them: the session waits until a person has looked. */
export function askAbout(unknown: readonly OpenCall[], approval_id: string): SessionCommand[] {
  const [first, ...rest] = unknown;
  if (!first) return [];
  const title =
    rest.length === 0
      ? `Interrupted, and it may have happened: ${first.title}`
      : `Interrupted, and they may have happened: ${unknown.length} tool calls`;
  return [
    {
      type: "request_approval",
      approval_id,
      kind: "recovery",
      title: title.slice(0, 160),
      body: [
        "The agent's process ended while it was doing this. Whether it took effect is not known:",
        ...unknown.map((call) => `- ${call.title} (effects: ${call.effects})`),
        "Approve to let the agent go on; it is told to check before it repeats anything.",
      ].join("\n"),
      action_id: first.action_id,
      awaited: false,
      expires_at: null,
    },
  ];
}

async function readOpenCalls(run: RunContext, id: string, head: SessionHead): Promise<OpenCall[]> {
  const opened = await Promise.all(
    [...head.actions, ...head.approvals].map(({ seq }) =>
      run.store.readEvents(id, { after: seq - 1, limit: 1 }),
    ),
  );
  const events = opened.flat().map(knownEvent);
  const awaiting = new Set(
    events.flatMap((event) =>
      event.type === "approval.requested" && event.data.awaited ? [event.data.action_id] : [],
    ),
  );
  return events.flatMap((event) => {
    if (event.type !== "action.started") return [];
    const { action_id, turn_id, type, effects, details } = event.data;
    const title = typeof details.title === "string" ? `${type}: ${details.title}` : type;
    return [{ action_id, turn_id, title, effects, awaited_leave: awaiting.has(action_id) }];
  });
}
