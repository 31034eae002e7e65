import type { SessionCommand } from "../../src/contract/commands.ts";
import type { SessionHead } from "../../src/contract/head.ts";
import { LIMITS } from "../../src/contract/limits.ts";
import { EXAMPLE } from "../core/example-command.ts";
import { NO_LOG, perform, type SessionLog, undriven } from "../core/session-log.ts";

/** Late in the longest history: every seq and every time has the most digits. */
const LATE = { seq: Number.MAX_SAFE_INTEGER - 10_000, at: 8_640_000_000_000_000 };

/** The largest head that commands can lead to, with texts of one character. */
export function fullest(filler: string): SessionHead {
  let log: SessionLog = { ...NO_LOG, seq: LATE.seq };
  const tell = (command: SessionCommand) => {
    const next = perform(log, command, undriven(LATE.at));
    if (!("error" in next)) log = next;
    return !("error" in next);
  };
  /** With the longest accepted text, if any is. */
  const fillWith = (make: (text: string) => SessionCommand) => {
    for (let length = 520; length > 0; length -= 1) {
      if (tell(make(filler.repeat(length)))) return true;
    }
    return false;
  };

  tell(grownCreate(filler, log));
  log = { ...log, seq: LATE.seq + 100 };
  tell(fork(filler, log));
  fillWith((title) => ({ type: "rename", title }));
  for (let nth = 0; log.head?.metadata_row === undefined; nth += 1) {
    fillWith((text) => ({ type: "annotate", metadata: { [`${nth}${text}`]: null } }));
  }
  // The last of them is in a row; shorter ones fill the rest of the head's share.
  for (let nth = 0; nth < 9 && bytesOf(log.head?.metadata) < LIMITS.METADATA_HEAD - 20; nth += 1) {
    const room = LIMITS.METADATA_HEAD - bytesOf(log.head?.metadata) - 20;
    const text = filler.repeat(Math.max(0, Math.floor(room / bytesOf(filler))));
    tell({ type: "annotate", metadata: { [`-${nth}${text.slice(0, 40)}`]: null } });
  }
  tell({ type: "observe", observation: OBSERVATION });
  tell({ type: "finalize", outcome: "completed", summary: filler.repeat(300), error: null });
  tell({ ...EXAMPLE.send_message, turn_id: "t" });
  tell({ ...EXAMPLE.start_turn, turn_id: "t" });
  tell({ ...EXAMPLE.end_turn, turn_id: "t", usage: USAGE });
  tell({ type: "record_error", error: filler.repeat(300) });
  fillWith((text) => ({ ...EXAMPLE.save_checkpoint, checkpoint_id: text }));
  fillWith((text) => ({ ...EXAMPLE.restore_checkpoint, checkpoint_id: text }));
  fillWith((text) => ({
    ...EXAMPLE.note_agent_started,
    agent_session_id: text,
  }));
  fillWith((conversation_id) => ({
    ...EXAMPLE.note_imported,
    conversation_id,
    source: "s".repeat(LIMITS.ITEM_ID),
    turn_id: "t".repeat(LIMITS.ITEM_ID),
    turns: Number.MAX_SAFE_INTEGER,
    items: Number.MAX_SAFE_INTEGER,
  }));
  openAll(fillWith);
  for (let nth = 0; nth < 6; nth += 1) {
    const phase = nth % 2 === 0 ? "investigating" : "initializing";
    tell({ type: "set_phase", phase, summary: null });
  }
  fillWith((reason) => ({ type: "suspend", reason, checkpoint_id: null, until: LATE.at }));
  tell({ type: "delete", reason: "user_requested", purge_at: LATE.at });

  if (!log.head) throw new Error("no session");
  return countedUp(log.head);
}

/** After such a long history the counters have all their digits too. */
function countedUp(head: SessionHead): SessionHead {
  const most = Number.MAX_SAFE_INTEGER;
  const counts = {
    phases: most,
    turns: most,
    actions: most,
    checkpoints: most,
    approvals: most,
    observations: most,
    resumes: most,
  } satisfies SessionHead["counts"];
  return { ...head, counts, run: most, error_count: most };
}

const USAGE = {
  input_tokens: Number.MAX_SAFE_INTEGER,
  output_tokens: Number.MAX_SAFE_INTEGER,
  cost_usd: 123_456.789_012_345_67,
};

const OBSERVATION = {
  session_id: "a".repeat(128),
  actions: [{ type: "run_tests", result: "passed" }],
  duration: 1.234_567_890_123_456_7e-100,
  started_at: "2025-12-31T11:00:00.123456789+00:00",
  ended_at: "2025-12-31T12:00:00.123456789+00:00",
};

/** Opens as much as possible at once. */
function openAll(fillWith: (make: (text: string) => SessionCommand) => boolean): void {
  // The first letter distinguishes ids of a kind; the rest is as long as possible.
  const untilRefused = (make: (id: string) => SessionCommand) => {
    const letters = Array.from("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    letters.every((letter) => fillWith((text) => make(letter + text)));
  };
  fillWith((text) => ({ ...EXAMPLE.start_turn, turn_id: `Z${text}` }));
  untilRefused((turn_id) => ({ ...EXAMPLE.send_message, turn_id }));
  untilRefused((action_id) => ({ ...EXAMPLE.begin_action, action_id, effects: "unknown" }));
  untilRefused((approval_id) => ({
    ...EXAMPLE.request_approval,
    approval_id,
    kind: "permission",
    awaited: true,
    expires_at: LATE.at,
  }));
}

/** A create command in which every text has its maximum length. */
function grownCreate(filler: string, log: SessionLog): SessionCommand<"create"> {
  const start: SessionCommand<"create"> = {
    ...EXAMPLE.create,
    session_id: "a".repeat(128),
    interface: "graphql",
    metadata: {},
  };
  const grow = (command: typeof start, field: "owner" | "agent_name" | "purpose" | "task_id") =>
    longest(filler, log, (text) => ({ ...command, [field]: text }));
  const withTexts = grow(grow(grow(grow(start, "owner"), "agent_name"), "purpose"), "task_id");
  return longest(filler, log, (text) => ({
    ...withTexts,
    project: { cwd: text, repo: null, branch: null },
  }));
}

function fork(filler: string, log: SessionLog): SessionCommand<"fork"> {
  return longest(filler, log, (owner) => ({
    ...EXAMPLE.fork,
    owner,
    interface: "graphql",
    session_id: "b".repeat(128),
    title: null,
    parent: {
      session_id: "a".repeat(128),
      entity_id: EXAMPLE.create.entity_id,
      seq: Number.MAX_SAFE_INTEGER,
    },
  }));
}

function longest<C extends SessionCommand>(
  filler: string,
  log: SessionLog,
  make: (text: string) => C,
): C {
  for (let length = 520; length > 0; length -= 1) {
    const command = make(filler.repeat(length));
    if (!("error" in perform(log, command, undriven(LATE.at)))) return command;
  }
  throw new Error("no text is accepted");
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}
