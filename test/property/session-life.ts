import fc from "fast-check";
import type { SessionCommand } from "../../src/contract/commands.ts";
import type { Refusal } from "../../src/contract/errors.ts";
import type { SessionEvent } from "../../src/contract/events.ts";
import type { SessionHead } from "../../src/contract/head.ts";
import type { DecisionContext } from "../../src/core/session/decision.ts";
import { evolveSession } from "../../src/core/session/evolve-session.ts";
import { EXAMPLE } from "../core/example-command.ts";
import {
  begun,
  type LiveLog,
  NO_LOG,
  perform,
  play,
  type SessionLog,
  START,
} from "../core/session-log.ts";
import { aimCommand } from "./aim-command.ts";
import { anyCommand } from "./arbitrary-command.ts";

/** One event in a session's life: the command, its sender, and the time since the previous one. */
export interface Step {
  readonly command: SessionCommand;
  readonly aim: number;
  readonly wait: number;
  readonly lease: DecisionContext["lease"];
  readonly epoch: number | null;
}

export const anyLease: fc.Arbitrary<DecisionContext["lease"]> = fc.option(
  fc.record({
    epoch: fc.constantFrom(1, 2),
    live: fc.boolean(),
    holder: fc.constant({ name: "belay run" }),
  }),
  { nil: null },
);

/** Mostly there is no driver or the driver itself sends; sometimes someone without permission. */
const anyVoice = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ lease: null, epoch: null }) },
  {
    weight: 3,
    arbitrary: fc.constant({
      lease: { epoch: 1, live: true, holder: { name: "belay run" } },
      epoch: 1,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ lease: anyLease, epoch: fc.constantFrom(null, 1, 2) }),
  },
);

export const anyStep: fc.Arbitrary<Step> = fc
  .record({
    command: anyCommand,
    aim: fc.nat({ max: 1_000_000 }),
    wait: fc.nat({ max: 3_600_000 }),
    voice: anyVoice,
  })
  .map(({ voice, ...step }) => ({ ...step, ...voice }));

/** A session's life, and whether it starts nearly full. */
export interface Life {
  readonly crowded: boolean;
  readonly steps: readonly Step[];
}

export const anyLife = (maxLength: number): fc.Arbitrary<Life> =>
  fc.record({
    crowded: fc.oneof(
      { weight: 3, arbitrary: fc.constant(false) },
      { weight: 1, arbitrary: fc.constant(true) },
    ),
    steps: fc.array(anyStep, { maxLength, size: "max" }),
  });

/** A command and the session it met. */
export interface Moment {
  readonly command: SessionCommand;
  readonly context: DecisionContext;
  readonly before: LiveLog;
  /** After a refusal: the same as before. */
  readonly after: LiveLog;
  readonly refusal: Refusal | null;
}

const FRESH = play(NO_LOG, [EXAMPLE.create]);
const CROWDED = crowd(FRESH);

/** Runs the steps. After a fork it continues in the child. */
export function live(
  { crowded, steps }: Life,
  visit: (moment: Moment) => void = () => {},
): LiveLog {
  let log = crowded ? CROWDED : FRESH;
  let now = START;
  steps.forEach(({ command, aim, wait, lease, epoch }, nth) => {
    now += wait;
    const context = { now, lease, epoch };
    const before = command.type === "fork" ? cutLog(log, forkPoint(log, aim)) : log;
    const aimed = aimCommand(command, before.head, aim, nth);
    const next = perform(before, aimed, context);
    const refused = "error" in next;
    const after = refused ? before : begun(next);
    visit({ command: aimed, context, before, after, refusal: refused ? next : null });
    if (!refused) log = after;
  });
  return log;
}

/** Opens nearly as much as possible. */
function crowd(fresh: LiveLog): LiveLog {
  const start = play(fresh, [{ ...EXAMPLE.start_turn, turn_id: "turn" }]);
  const openings: readonly ((id: string) => SessionCommand)[] = [
    (id) => ({ ...EXAMPLE.begin_action, action_id: id }),
    (id) => ({ ...EXAMPLE.send_message, turn_id: id }),
    (id) => ({ ...EXAMPLE.request_approval, approval_id: id, awaited: true }),
    (id) => ({ type: "annotate", metadata: { [id]: "0123456789" } }),
  ];
  return openings.reduce((log: LiveLog, open) => fill(log, open), start);
}

/** Repeats an opening until there is room for only one more. */
function fill(log: LiveLog, open: (id: string) => SessionCommand): LiveLog {
  let [last, current] = [log, log];
  for (let nth = 0; nth < 200; nth += 1) {
    const next = perform(current, open(`early-${nth}`));
    if ("error" in next) return last;
    [last, current] = [current, begun(next)];
  }
  throw new Error(`no end to ${open("").type}`);
}

/** One of the last events, so that long lives stay long. */
function forkPoint(log: SessionLog, aim: number): number {
  return log.seq - (aim % Math.min(log.seq, 40));
}

/** The log when it had `seq` events. */
export function cutLog(log: SessionLog, seq: number): LiveLog {
  const events = log.events.slice(0, seq);
  const rows = log.rows.filter((row) => row.seq <= seq);
  return begun({ head: fold(events), seq, events, rows, names: log.names });
}

export function fold(
  events: readonly SessionEvent[],
  from: SessionHead | null = null,
): SessionHead | null {
  return events.reduce(evolveSession, from);
}
