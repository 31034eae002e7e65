import { describe, expect, it } from "vitest";
import type { SessionCommand } from "../../src/contract/commands.ts";
import { ReplayedRows } from "../../src/core/session/replayed-rows.ts";
import { EXAMPLE } from "./example-command.ts";
import { sessionIn } from "./session-in.ts";
import { driving, type LiveLog, MINUTE, play, playAs, START } from "./session-log.ts";
import { keepRows, rowsOf } from "./stored-rows.ts";

const { note_agent_started: started, note_agent_stopped: stopped, note_recovered } = EXAMPLE;

describe("the lifetime of an agent's process, in the index,", () => {
  it("goes from its start to its end", () => {
    const log = drive(drive(sessionIn("active"), started, 1), { ...stopped, reason: "idle" }, 5);
    expect(livesOf(log)).toEqual([
      { way: "new", pid: 4242, status: "idle", started_at: at(1), ended_at: at(5) },
    ]);
  });

  it("lasts until its end is recorded, by its driver or by recovery", () => {
    const running = drive(sessionIn("active"), started, 1);
    expect(livesOf(running)).toEqual([
      { way: "new", pid: 4242, status: "started", started_at: at(1) },
    ]);
    expect(livesOf(drive(running, { ...stopped, reason: "died" }, 9))).toMatchObject([
      { status: "died", ended_at: at(9) },
    ]);
  });

  it("ends at the latest when the next one starts", () => {
    const first = drive(sessionIn("active"), started, 1);
    const second = drive(first, { ...started, way: "resume" }, 4);
    expect(livesOf(second)).toMatchObject([
      { way: "new", status: "died", ended_at: at(4) },
      { way: "resume", status: "started" },
    ]);
  });

  it("does not include a sub-agent, of which only the end is known", () => {
    expect(livesOf(drive(sessionIn("active"), stopped, 1))).toEqual([]);
  });

  it("is dropped once in a fork", () => {
    const running = drive(sessionIn("active"), started, 1);
    const forked = play(running, [EXAMPLE.fork]);
    expect(livesOf(forked)).toMatchObject([{ way: "new", status: "dropped" }]);
    expect(livesOf(drive(forked, { ...started, way: "replay" }, 6))).toMatchObject([
      { way: "new", status: "dropped" },
      { way: "replay", status: "started" },
    ]);
  });
});

describe("a recovery, in the index,", () => {
  it("names the action that a person was asked about, and has a name of its own", () => {
    const log = drive(sessionIn("active"), note_recovered, 3);
    expect(rowsOf(keepRows(log.rows), "recovery").map(({ data }) => data)).toEqual([
      { status: "manual-review", steps: 1, asked: ["action-1"], at: at(3) },
    ]);
    expect(log.names).toContain("recovered");
  });
});

describe("an index that an older Belay started", () => {
  const { rows } = [started, stopped, started, stopped].reduce(
    (log, command, n) => drive(log, command, n),
    sessionIn("active"),
  );
  const replayed = new ReplayedRows();
  replayed.add(rows);
  const lives = replayed.of("life");
  const [, newest] = lives;
  if (!newest) throw new Error("there are two");

  it("agrees with its log although the first lifetimes are missing", () => {
    expect(replayed.agrees("life", lives)).toBe(true);
    expect(replayed.agrees("life", [newest])).toBe(true);
    expect(replayed.agrees("life", [])).toBe(true);
    const { status, ended_at } = newest.data;
    expect(replayed.agrees("life", [{ ...newest, data: { status, ended_at } }])).toBe(true);
  });

  it("disagrees if it has other content, or a later lifetime is missing", () => {
    const [first] = lives;
    if (!first) throw new Error("there are two");
    expect(replayed.agrees("life", [first])).toBe(false);
    expect(replayed.agrees("life", [...lives, newest])).toBe(false);
    expect(replayed.agrees("life", [{ ...newest, place: 2 }])).toBe(false);
    const altered = { ...newest, data: { ...newest.data, ended_at: 1 } };
    expect(replayed.agrees("life", [altered])).toBe(false);
    expect(replayed.agrees("life", [first, altered])).toBe(false);
  });

  it("disagrees if rows of kinds that it already had are missing", () => {
    expect(replayed.of("phase")).toHaveLength(1);
    expect(replayed.agrees("phase", [])).toBe(false);
  });
});

function at(minutes: number): number {
  return START + minutes * MINUTE;
}

function drive(log: LiveLog, command: SessionCommand, minutes: number): LiveLog {
  return playAs(log, [command], driving(at(minutes)));
}

function livesOf({ rows }: LiveLog) {
  return rowsOf(keepRows(rows), "life").map(({ data }) => data);
}
