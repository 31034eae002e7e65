import { describe, expect, it } from "vitest";
import { mergeAsked } from "../../web/src/recovery/merge-asked.ts";

const one = (approval_id: string | null, text = "") => ({ approval_id, text });
const none: ReadonlySet<string> = new Set();
const told = ({ shown }: ReturnType<typeof mergeAsked<ReturnType<typeof one>>>) =>
  shown.map(({ recovery, isOpen }) => `${recovery.approval_id}${isOpen ? "" : " closed"}`);

describe("the list after a crash", () => {
  it("shows questions before sessions that are not recovered yet", () => {
    expect(told(mergeAsked([], [one(null), one("a")], none))).toEqual(["a", "null"]);
  });

  it("keeps an answered question in its place, as closed", () => {
    expect(told(mergeAsked([one("a"), one("b")], [one("b"), one("c")], none))).toEqual([
      ...["a closed", "b", "c"],
    ]);
  });

  it("shows the current state of a kept question", () => {
    const { shown } = mergeAsked([one("a", "old")], [one("a", "new")], none);
    expect(shown.map(({ recovery }) => recovery.text)).toEqual(["new"]);
  });

  it("removes dismissed questions, even while the server still lists them", () => {
    expect(told(mergeAsked([one("a")], [one("a")], new Set(["a"])))).toEqual([]);
  });

  it("returns the same list if nothing has changed", () => {
    const kept = [one("a")];
    expect(mergeAsked(kept, [one("a"), one(null)], none).toKeep).toBe(kept);
  });
});
