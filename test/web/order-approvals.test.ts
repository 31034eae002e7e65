import { describe, expect, it } from "vitest";
import { nextAfter, orderApprovals } from "../../web/src/inbox/order-approvals.ts";

const asked = (approval_id: string, session_id: string, minute: number) => ({
  approval_id,
  session_id,
  requested_at: `2026-01-01T00:${String(minute).padStart(2, "0")}:00.000Z`,
});
const questions = [
  asked("d", "two", 4),
  asked("b", "two", 2),
  asked("a", "one", 1),
  asked("c", "one", 3),
];
const ids = (list: readonly { approval_id: string }[]) =>
  list.map((one) => one.approval_id).join("");

describe("the order of open questions", () => {
  it("starts with the oldest question", () => {
    expect(ids(orderApprovals(questions, "oldest"))).toBe("abcd");
  });

  it("keeps the questions of a session together, oldest first", () => {
    expect(ids(orderApprovals(questions, "session"))).toBe("acbd");
  });

  it("is the same for any order of the server, also within one moment", () => {
    const twins = [asked("y", "s", 1), asked("x", "s", 1)];
    expect(ids(orderApprovals(twins, "oldest"))).toBe("xy");
    expect(ids(orderApprovals(twins.toReversed(), "oldest"))).toBe("xy");
  });
});

describe("the question after an answer", () => {
  const ordered = orderApprovals(questions, "oldest");

  it("is the next of the list", () => {
    expect(nextAfter(ordered, "b")?.approval_id).toBe("c");
  });

  it("is the one before at the end of the list", () => {
    expect(nextAfter(ordered, "d")?.approval_id).toBe("c");
  });

  it("is the first if the answered one is no longer in the list", () => {
    expect(nextAfter(ordered, "gone")?.approval_id).toBe("a");
  });

  it("is none if it was the only one", () => {
    expect(nextAfter(ordered.slice(0, 1), "a")).toBeNull();
  });
});
