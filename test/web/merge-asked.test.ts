import { describe, expect, it } from "vitest";
import { mergeAsked } from "../../web/src/recovery/merge-asked.ts";

const one = (approval_id: string | null, text = "") => ({ approval_id, text });
const none: ReadonlySet<string> = new Set();
const told = ({ shown }: ReturnType<typeof mergeAsked<ReturnType<typeof one>>>) =>
  shown.map(({ recovery, isOpen }) => `${recovery.approval_id}${isOpen ? "" : " closed"}`);

describe("what waits after a crash", () => {
  it("shows questions before what nobody has recovered yet", () => {
    expect(told(mergeAsked([], [one(null), one("a")], none))).toEqual(["a", "null"]);
  });

  it("keeps a question that was answered in its place, as closed", () => {
    expect(told(mergeAsked([one("a"), one("b")], [one("b"), one("c")], none))).toEqual([
      ...["a closed", "b", "c"],
    ]);
  });

  it("shows a kept question as it is now", () => {
    const { shown } = mergeAsked([one("a", "old")], [one("a", "new")], none);
    expect(shown.map(({ recovery }) => recovery.text)).toEqual(["new"]);
  });

  it("lets go of what was dismissed, even while the server still lists it", () => {
    expect(told(mergeAsked([one("a")], [one("a")], new Set(["a"])))).toEqual([]);
  });

  it("gives back the same list where nothing has changed", () => {
    const kept = [one("a")];
    expect(mergeAsked(kept, [one("a"), one(null)], none).toKeep).toBe(kept);
  });
});
