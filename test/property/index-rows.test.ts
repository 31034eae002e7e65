import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SessionCommand } from "../../src/contract/commands.ts";
import type { Open } from "../../src/contract/head.ts";
import type { NewRow } from "../../src/contract/stream.ts";
import { indexSession } from "../../src/core/session/index-session.ts";
import { ReplayedRows } from "../../src/core/session/replayed-rows.ts";
import { type LiveLog, openedBy, play, START } from "../core/session-log.ts";
import { type KeptRow, keepRows, rowsOf } from "../core/stored-rows.ts";
import { isOver } from "./head-invariants.ts";
import { anyLife, cutLog, fold, live } from "./session-life.ts";

const OPEN_STATUSES = ["queued", "started", "pending"];

function everyLife(check: (log: LiveLog) => void, numRuns = 150): void {
  fc.assert(
    fc.property(anyLife(100), (life) => check(live(life))),
    { numRuns },
  );
}

describe("the rows of a session, as of any cut,", () => {
  it("are open exactly where the head is", () => {
    fc.assert(
      fc.property(anyLife(100), fc.nat(), (life, at) => {
        const log = live(life);
        const { head, rows } = cutLog(log, 1 + (at % log.seq));
        const kept = keepRows(rows);
        expect(placesOf(kept, "action", "started")).toEqual(seqsOf(head.actions));
        expect(placesOf(kept, "turn", "queued")).toEqual(seqsOf(head.queue));
        expect(placesOf(kept, "turn", "started")).toEqual(seqsOf(head.turn ? [head.turn] : []));
        expect(placesOf(kept, "approval", "pending")).toEqual(seqsOf(head.approvals));
        const running = head.agent?.running ?? null;
        expect(placesOf(kept, "life", "started")).toEqual(running === null ? [] : [running]);
      }),
      { numRuns: 200 },
    );
  });

  it("have the names of the head for open items", () => {
    everyLife(({ head, rows }) => {
      const kept = keepRows(rows);
      const idAt = (kind: string, place: number, field: string) =>
        rowsOf(kept, kind).find((row) => row.place === place && row.nth === 0)?.data[field];
      for (const { id, seq } of head.actions) expect(idAt("action", seq, "action_id")).toBe(id);
      for (const { id, seq } of head.queue) expect(idAt("turn", seq, "turn_id")).toBe(id);
      for (const { id, seq } of head.approvals) {
        expect(idAt("approval", seq, "approval_id")).toBe(id);
      }
    });
  });

  it("are as many as the head counts", () => {
    everyLife(({ head, rows, events }) => {
      const kept = keepRows(rows);
      const live = rowsOf(kept, "action").filter((row) => "action_id" in row.data);
      expect(live).toHaveLength(head.counts.actions);
      expect(rowsOf(kept, "phase")).toHaveLength(head.counts.phases);
      expect(rowsOf(kept, "approval")).toHaveLength(head.counts.approvals);
      const saved = events.filter(({ type }) => type === "checkpoint.saved");
      const merges = events.filter((event) => event.type === "session.merged");
      const brought = merges.reduce((sum, { data }) => sum + data.checkpoints.length, 0);
      expect(saved.length + brought).toBe(head.counts.checkpoints);
      const neverStarted = rowsOf(kept, "turn").filter(
        (row) => row.statuses[0] === "queued" && !row.statuses.includes("started"),
      );
      // A merge counts as its turns.
      const merged = merges.reduce((sum, { data }) => sum + data.turns - 1, 0);
      expect(rowsOf(kept, "turn").length - neverStarted.length + merged).toBe(head.counts.turns);
    });
  });
});

describe("an item of the index", () => {
  it("gets exactly one final status, and no change after it", () => {
    everyLife((log) => {
      const { rows } = finished(log);
      for (const { kind, statuses } of keepRows(rows)) {
        if (kind !== "turn" && kind !== "action" && kind !== "approval") continue;
        const final = statuses.filter((status) => !OPEN_STATUSES.includes(String(status)));
        // An item that was recorded whole, or only observed, was never open.
        if (statuses.length === 0) continue;
        expect({ kind, final, last: statuses.at(-1) }).toEqual({
          kind,
          final: [expect.any(String)],
          last: final[0],
        });
      }
    });
  });

  it("is at the event that opened it, and changes only later", () => {
    everyLife(({ rows, events }) => {
      for (const row of rows) {
        expect(row.place).toBeLessThanOrEqual(row.seq);
        expect(row.seq).toBeLessThanOrEqual(events.length);
      }
      const opened = new Set<string>();
      for (const { kind, place, nth, seq } of rows) {
        const id = `${kind} ${place} ${nth}`;
        if (!opened.has(id)) expect(place).toBe(seq);
        opened.add(id);
      }
    });
  });

  it("is found by one key, which no patch changes", () => {
    everyLife(({ rows }) => {
      const keys = new Map<string, string | null>();
      for (const { kind, place, nth, key } of rows) {
        const id = `${kind} ${place} ${nth}`;
        const opened = keys.get(id);
        if (opened === undefined) keys.set(id, key);
        else expect([null, opened]).toContain(key);
      }
    });
  });
});

describe("the index of a log", () => {
  it("is the same when it is rebuilt from the log", () => {
    everyLife(({ rows, events }) => {
      const replayed = new ReplayedRows();
      const anew: NewRow[] = [];
      events.forEach((event, nth) => {
        const before = fold(events.slice(0, nth));
        const { rows: made, opens } = indexSession(event, before, replayed.knownFor(event));
        replayed.add(made);
        anew.push(...made, ...(opens ? openedBy({ ...event, row: opens }) : []));
      });
      expect(anew).toEqual(rows);
    }, 40);
  });
});

/** The session after its end. */
function finished(log: LiveLog): LiveLog {
  if (isOver(log.head)) return log;
  const undelete: SessionCommand[] = log.head.deleted ? [{ type: "undelete" }] : [];
  return play(log, [...undelete, { type: "archive" }], START * 2);
}

function placesOf(rows: readonly KeptRow[], kind: string, status: string): number[] {
  return rowsOf(rows, kind)
    .filter((row) => row.data.status === status)
    .map((row) => row.place);
}

function seqsOf(items: readonly Open[]): number[] {
  return items.map((item) => item.seq).toSorted((a, b) => a - b);
}
