import type { SessionCommand } from "../../src/contract/commands.ts";
import type { Status } from "../../src/contract/vocabulary.ts";
import { EXAMPLE } from "./example-command.ts";
import { type LiveLog, NO_LOG, play } from "./session-log.ts";

const begin: SessionCommand = { type: "set_phase", phase: "investigating", summary: null };
const finalize = (outcome: "completed" | "failed" | "abandoned"): SessionCommand => ({
  type: "finalize",
  outcome,
  summary: "the end",
  error: outcome === "failed" ? "out of disk" : null,
});

const PATHS: Readonly<Record<Status, readonly SessionCommand[]>> = {
  created: [],
  active: [begin],
  suspended: [begin, EXAMPLE.suspend],
  completed: [begin, finalize("completed")],
  failed: [begin, finalize("failed")],
  cancelled: [begin, finalize("abandoned")],
  archived: [begin, EXAMPLE.archive],
};

/** A session of this status with nothing under way. */
export function sessionIn(status: Status, now?: number): LiveLog {
  return play(NO_LOG, [EXAMPLE.create, ...PATHS[status]], now);
}

/** An active session with an open turn, action, approval and message. */
export function working(): LiveLog {
  return play(sessionIn("active"), [
    { ...EXAMPLE.start_turn, turn_id: "turn-1" },
    { ...EXAMPLE.begin_action, action_id: "action-1", turn_id: "turn-1" },
    {
      ...EXAMPLE.request_approval,
      approval_id: "approval-1",
      kind: "permission",
      action_id: "action-1",
      awaited: true,
    },
    { ...EXAMPLE.send_message, turn_id: "turn-2" },
  ]);
}
