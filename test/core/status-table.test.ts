import { describe, expect, it } from "vitest";
import { COMMAND_SIDE, type SessionCommandType } from "../../src/contract/commands.ts";
import { COMMAND_TYPES, EXAMPLE } from "./example-command.ts";
import { sessionIn, working } from "./session-in.ts";
import { contextOf, type LiveLog, perform, play } from "./session-log.ts";

/**
 * Every command in every status. A cell is the status of the session afterwards, or the code of the refusal; "nothing"
 * is neither. `working` and `paused` are an active and a suspended session with an open turn, action, approval and
 * message; the other columns have nothing open.
 */
const TABLE = `
command            | created               | active                | suspended            | completed           | failed              | cancelled           | archived            | working        | paused
create             | session_exists        | session_exists        | session_exists       | session_exists      | session_exists      | session_exists      | session_exists      | session_exists | session_exists
fork               | created               | created               | created              | created             | created             | created             | created             | created        | created
annotate           | created               | active                | suspended            | completed           | session_failed      | session_cancelled   | session_archived    | active         | suspended
merge              | created               | active                | suspended            | completed           | session_failed      | session_cancelled   | session_archived    | active         | suspended
handoff            | created               | active                | suspended            | completed           | session_failed      | session_cancelled   | session_archived    | active         | suspended
set_resume_ready   | created               | active                | suspended            | session_completed   | session_failed      | session_cancelled   | session_archived    | active         | suspended
record_error       | created               | active                | suspended            | session_completed   | session_failed      | session_cancelled   | session_archived    | active         | suspended
set_phase          | active                | active                | active               | session_completed   | session_failed      | session_cancelled   | session_archived    | active         | active
suspend            | suspended             | suspended             | session_suspended    | session_completed   | session_failed      | session_cancelled   | session_archived    | suspended      | session_suspended
resume             | session_not_suspended | session_not_suspended | active               | session_completed   | session_failed      | session_cancelled   | session_archived    | session_not_suspended | active
finalize           | completed             | completed             | completed            | session_completed   | session_failed      | session_cancelled   | session_archived    | completed      | completed
archive            | archived              | archived              | archived             | archived            | archived            | archived            | session_archived    | archived       | archived
rename             | created               | active                | suspended            | completed           | failed              | cancelled           | archived            | active         | suspended
pin                | created               | active                | suspended            | completed           | failed              | cancelled           | archived            | active         | suspended
unpin              | nothing               | nothing               | nothing              | nothing             | nothing             | nothing             | nothing             | nothing        | nothing
share              | created               | active                | suspended            | completed           | failed              | cancelled           | archived            | active         | suspended
unshare            | created               | active                | suspended            | completed           | failed              | cancelled           | archived            | active         | suspended
set_expiry         | created               | active                | suspended            | completed           | failed              | cancelled           | archived            | active         | suspended
delete             | created               | active                | suspended            | completed           | failed              | cancelled           | archived            | active         | suspended
undelete           | session_not_deleted   | session_not_deleted   | session_not_deleted  | session_not_deleted | session_not_deleted | session_not_deleted | session_not_deleted | session_not_deleted | session_not_deleted
send_message       | active                | active                | session_suspended    | active              | session_failed      | session_cancelled   | session_archived    | active         | session_suspended
interrupt          | nothing_to_interrupt  | nothing_to_interrupt  | nothing_to_interrupt | session_completed   | session_failed      | session_cancelled   | session_archived    | active         | nothing_to_interrupt
note_recovered     | created               | active                | suspended            | session_completed   | session_failed      | session_cancelled   | session_archived    | active         | suspended
note_agent_started | created               | active                | suspended            | session_completed   | session_failed      | session_cancelled   | session_archived    | active         | suspended
note_imported      | created               | active                | suspended            | completed           | session_failed      | session_cancelled   | session_archived    | active         | suspended
note_agent_stopped | created               | active                | suspended            | completed           | session_failed      | session_cancelled   | session_archived    | active         | suspended
record_turn        | active                | active                | active               | active              | session_failed      | session_cancelled   | session_archived    | active         | active
save_checkpoint    | created               | active                | suspended            | session_completed   | session_failed      | session_cancelled   | session_archived    | active         | suspended
restore_checkpoint | created               | active                | suspended            | session_completed   | session_failed      | session_cancelled   | session_archived    | active         | suspended
request_approval   | suspended             | suspended             | suspended            | session_completed   | session_failed      | session_cancelled   | session_archived    | suspended      | suspended
decide_approval    | approval_closed       | approval_closed       | approval_closed      | approval_closed     | approval_closed     | approval_closed     | approval_closed     | active         | suspended
expire_approval    | nothing               | nothing               | nothing              | nothing             | nothing             | nothing             | nothing             | active         | suspended
observe            | created               | active                | suspended            | completed           | failed              | cancelled           | archived            | active         | suspended
record_outcome     | created               | active                | suspended            | session_completed   | session_failed      | session_cancelled   | session_archived    | active         | suspended
record_artifact    | created               | active                | suspended            | session_completed   | session_failed      | session_cancelled   | session_archived    | active         | suspended
start_turn         | active                | active                | session_suspended    | session_completed   | session_failed      | session_cancelled   | session_archived    | turn_open      | session_suspended
append_part        | turn_not_found        | turn_not_found        | turn_not_found       | session_completed   | session_failed      | session_cancelled   | session_archived    | active         | suspended
end_turn           | turn_not_found        | turn_not_found        | turn_not_found       | session_completed   | session_failed      | session_cancelled   | session_archived    | active         | suspended
begin_action       | active                | active                | active               | session_completed   | session_failed      | session_cancelled   | session_archived    | active         | active
describe_action    | action_not_found      | action_not_found      | action_not_found     | session_completed   | session_failed      | session_cancelled   | session_archived    | active         | suspended
complete_action    | action_not_found      | action_not_found      | action_not_found     | session_completed   | session_failed      | session_cancelled   | session_archived    | active         | suspended
`;

const SIDES = {
  driver: [
    "note_agent_started",
    "note_recovered",
    "record_turn",
    "start_turn",
    "append_part",
    "end_turn",
    "begin_action",
    "complete_action",
    "describe_action",
  ],
};

const [header, ...lines] = TABLE.trim().split("\n").map(splitCells);
const columns = header?.slice(1) ?? [];
const cells = lines.flatMap(([command = "", ...expected]) =>
  columns.map((column, nth) => ({ command, column, expected: expected[nth] })),
);

describe("a command meets a status", () => {
  it("in every combination", () => {
    expect(lines.map(([command]) => command)).toEqual(COMMAND_TYPES);
    expect(cells).toHaveLength(41 * 9);
  });

  it.each(cells)("$command in $column: $expected", ({ command, column, expected }) => {
    expect(outcomeOf(readCommand(command), sessionOf(column))).toBe(expected);
  });
});

describe("the side of a command", () => {
  it("is the driver's for agent output, action results and turns, and outside for all others", () => {
    const driver = COMMAND_TYPES.filter((type) => COMMAND_SIDE[type] === "driver");
    expect(driver.toSorted()).toEqual(SIDES.driver.toSorted());
  });
});

function splitCells(line: string): string[] {
  return line.split("|").map((cell) => cell.trim());
}

function readCommand(name: string): SessionCommandType {
  const type = COMMAND_TYPES.find((known) => known === name);
  if (!type) throw new Error(`no command ${name}`);
  return type;
}

function sessionOf(column: string): LiveLog {
  switch (column) {
    case "created":
    case "active":
    case "suspended":
    case "completed":
    case "failed":
    case "cancelled":
    case "archived":
      return sessionIn(column);
    case "working":
      return working();
    case "paused":
      return play(working(), [EXAMPLE.suspend]);
    default:
      throw new Error(`no session ${column}`);
  }
}

function outcomeOf(type: SessionCommandType, log: LiveLog): string {
  const next = perform(log, EXAMPLE[type], contextOf(EXAMPLE[type]));
  if ("error" in next) return next.error;
  return next.seq === log.seq ? "nothing" : (next.head?.status ?? "no head");
}
