import { describe, expect, it } from "vitest";
import { describeSeveral, describeSpan } from "../../web/src/timeline/spans/describe-span.ts";
import { gatherSpans } from "../../web/src/timeline/spans/gather-spans.ts";
import { busyTimes, itemsOf, wholeOf } from "../../web/src/timeline/spans/items.ts";
import { lookOf } from "../../web/src/timeline/spans/looks.ts";
import { stepFocus } from "../../web/src/timeline/spans/step-focus.ts";
import { sessionOf, span } from "./spans-fixture.ts";

const HOUR = 3_600_000;

describe("the time of an item", () => {
  it("does not include the wait for a person", () => {
    const session = sessionOf([span("turn", 1, 0, 10 * HOUR), span("approval", 2, HOUR, 9 * HOUR)]);
    const busy = busyTimes(itemsOf(session), session, 10 * HOUR);
    expect(busy).toEqual([
      { from: 0, to: HOUR },
      { from: 9 * HOUR, to: 10 * HOUR },
    ]);
  });

  it("lasts until now while the session is active", () => {
    const session = sessionOf([span("action", 1, 0, null)]);
    expect(busyTimes(itemsOf(session), session, 5000)).toEqual([{ from: 0, to: 5000 }]);
  });

  it("ends with a session that was left with open work", () => {
    const session = sessionOf([span("action", 1, 0, null)], { status: "suspended" });
    expect(busyTimes(itemsOf(session), session, 5000)).toEqual([{ from: 0, to: 0 }]);
  });

  it("has a minimum length", () => {
    const { from, to } = wholeOf(itemsOf(sessionOf([span("checkpoint", 1, 7000, 7000)])), 9000);
    expect(from).toBeLessThan(7000);
    expect(to).toBeGreaterThan(7000);
  });
});

describe("the duration of an item", () => {
  it("does not include the wait for a person", () => {
    const spans = [
      span("turn", 1, 0, 10_000),
      span("action", 2, 1000, 9000, { name: "touch a", action_id: "first" }),
      span("action", 3, 1000, 9000, { name: "touch a", action_id: "second" }),
      span("approval", 4, 2000, 8000, { name: "execute: touch a", action_id: "first" }),
      span("action", 5, 9500, null, { name: "touch c", action_id: "third" }),
      span("approval", 6, 9600, null, { name: "May I?", action_id: "third" }),
      span("approval", 7, 9600, null, { name: "execute: touch c" }),
    ];
    const took = itemsOf(sessionOf(spans)).map((item) => describeSpan(item, 20_000).lines);
    const told = took.map((lines) => lines.find(([word]) => word === "Duration")?.[1]);
    expect(told).toEqual(["10 s", "2.0 s", "8.0 s", "6.0 s", "100 ms", "10 s", "10 s"]);
  });
});

describe("the look of an item", () => {
  it.each([
    [span("action", 1, 0, 1, { status: "completed" }), "done"],
    [span("action", 1, 0, 1, { status: "failed" }), "failed"],
    [span("action", 1, 0, 1, { status: "interrupted", unknown: true }), "unknown"],
    [span("action", 1, 0, 1, { status: "interrupted" }), "stopped"],
    [span("action", 1, 0, null, { status: "started" }), "running"],
    [span("action", 1, 0, 0, { status: "error: no such file" }), "failed"],
    [span("approval", 1, 0, null, { status: "pending" }), "waiting"],
    [span("approval", 1, 0, 5, { status: "approved" }), "done"],
    [span("life", 1, 0, 5, { status: "died" }), "failed"],
    [span("life", 1, 0, 5, { status: "idle" }), "done"],
  ] as const)("%o is %s", (one, look) => {
    expect(lookOf(one)).toBe(look);
  });

  it("shows an unknown outcome, also in words", () => {
    const one = span("action", 1, 0, 1, { status: "interrupted", unknown: true });
    const [item] = itemsOf(sessionOf([one]));
    expect(item && describeSpan(item, 5).lines[0]?.[1]).toContain("outcome unknown");
  });

  it("counts items that are drawn as one", () => {
    const items = itemsOf(
      sessionOf([
        span("action", 1, 0, 1, { status: "completed" }),
        span("action", 2, 0, 1, { status: "failed" }),
        span("action", 3, 0, 1, { status: "completed" }),
      ]),
    );
    const { title, lines } = describeSeveral(items, 5);
    expect(title).toBe("3 actions");
    expect(lines.slice(0, 2)).toEqual([
      ["2", "completed"],
      ["1", "failed"],
    ]);
  });
});

describe("the targets of keys", () => {
  const items = itemsOf(
    sessionOf([
      span("turn", 1, 0, 10),
      span("turn", 2, 100, 110),
      span("action", 3, 1, 5),
      span("action", 4, 90, 95),
      span("action", 5, 105, 108),
    ]),
  );
  const of = (kind: string) => items.filter(({ span: { kind: is } }) => is === kind);
  const lines = [of("turn"), of("action")];
  const keyOf = (seq: number) => items.find((item) => item.span.seq === seq)?.key ?? null;

  it.each([
    [null, "ArrowRight", 1],
    [1, "ArrowRight", 2],
    [2, "ArrowRight", 2],
    [2, "ArrowLeft", 1],
    [2, "ArrowDown", 5],
    [1, "ArrowDown", 3],
    [4, "ArrowUp", 2],
    [3, "End", 5],
    [5, "Home", 3],
  ] as const)("from %s by %s is %s", (from, key, to) => {
    const next = stepFocus(lines, from === null ? null : keyOf(from), key);
    expect(next?.span.seq).toBe(to);
  });
});

describe("data of several answers", () => {
  const answer = (session: ReturnType<typeof sessionOf>) => ({
    entity_id: "x",
    more: false,
    sessions: [session],
  });
  const seqsIn = (known: ReturnType<typeof gatherSpans>) =>
    known.get("some-session")?.spans.map(({ seq }) => seq);

  it("keeps loaded history when new data arrives", () => {
    const first = gatherSpans(
      new Map(),
      answer(sessionOf([span("turn", 10, 10, 11)], { earlier: 10 })),
      "newest",
    );
    const older = sessionOf([span("turn", 1, 1, 2), span("turn", 5, 5, 6)]);
    const second = gatherSpans(first, answer(older), "earlier");
    expect(seqsIn(second)).toEqual([1, 5, 10]);
    expect(second.get("some-session")?.earlier).toBeNull();
    const news = sessionOf([span("turn", 12, 12, 13)], { earlier: 12 });
    const third = gatherSpans(second, answer(news), "newest");
    expect(seqsIn(third)).toEqual([1, 5, 10, 12]);
    expect(third.get("some-session")?.earlier).toBeNull();
  });

  it("has the newest state of open items", () => {
    const open = answer(sessionOf([span("turn", 1, 1, null)]));
    const closed = answer(sessionOf([span("turn", 1, 1, 9)]));
    const known = gatherSpans(gatherSpans(new Map(), open, "newest"), closed, "newest");
    expect(known.get("some-session")?.spans).toEqual(closed.sessions[0]?.spans);
  });

  it("keeps several items of one event apart", () => {
    const two = [span("action", 3, 5, 5, { name: "a" }), span("action", 3, 5, 5, { name: "a" })];
    const page = answer(sessionOf(two));
    const known = gatherSpans(gatherSpans(new Map(), page, "newest"), page, "earlier");
    expect(seqsIn(known)).toEqual([3, 3]);
  });

  it("drops removed sessions", () => {
    const known = gatherSpans(new Map(), answer(sessionOf([])), "newest");
    expect(gatherSpans(known, { entity_id: "x", more: false, sessions: [] }, "newest").size).toBe(
      0,
    );
  });
});
