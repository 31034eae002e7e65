import { expect, it } from "vitest";
import { STATUSES } from "../../src/contract/vocabulary.ts";
import { countStatuses } from "../../src/core/view/count-statuses.ts";
import { sessionIn } from "./session-in.ts";

const NONE = {
  created: 0,
  active: 0,
  suspended: 0,
  completed: 0,
  failed: 0,
  cancelled: 0,
  archived: 0,
};

it("names every status, also with a count of 0", () => {
  expect(countStatuses([])).toEqual({ by_status: NONE, badge: 0, waiting: 0 });
  expect(Object.keys(NONE)).toEqual([...STATUSES]);
});

it("leaves out sessions in the trash, and their questions", () => {
  const counts = countStatuses([
    { status: "suspended", streams: 2, waiting: 3 },
    { status: "deleted", streams: 9, waiting: 9 },
  ]);
  expect(counts).toEqual({ by_status: { ...NONE, suspended: 2 }, badge: 2, waiting: 3 });
});

it.each(STATUSES)(
  "has a %s session in the badge if a list shows it as active or suspended",
  (of) => {
    const { head } = sessionIn(of);
    const { badge } = countStatuses([{ status: head?.status ?? "", streams: 1, waiting: 0 }]);
    expect(badge).toBe(["created", "active", "suspended", "completed"].includes(of) ? 1 : 0);
  },
);
