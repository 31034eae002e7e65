import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BelayError } from "../../src/index.ts";
import {
  answers,
  begin,
  factsOf,
  find,
  openLab,
  openQuestion,
  reopenLab,
  said,
  talk,
  until,
} from "./run-lab.ts";

describe("a permission that an agent asks for", () => {
  it("can be answered from another handle, while the session stays active", async () => {
    const lab = await openLab();
    const other = await reopenLab(lab.home);
    const { id, done } = await begin(lab, "/write note.txt hello", { decide: "nobody" });
    const question = await openQuestion(other, id);
    expect(question).toMatchObject({
      kind: "permission",
      options: ["allow_once", "allow_always", "reject_once"],
    });
    expect(question.body).toContain("+hello");
    const path = join(lab.cwd, "note.txt");
    expect(question.action).toMatchObject({
      type: "edit",
      effects: "local",
      diffs: [{ path, before: null, after: "hello" }],
    });
    expect(await other.belay.sessions.get({ id })).toMatchObject({
      status: "active",
      phase: "approval",
    });
    await other.belay.approvals.decide({
      approval_id: question.approval_id,
      decision: "approved",
    });
    const { events } = await done;
    expect(find(events, "answered")).toMatchObject([{ decision: "approved" }]);
    expect(find(events, "tool_call").at(-1)).toMatchObject({
      result: "success",
      diffs: [{ before: null, after: "hello" }],
    });
    expect(existsSync(join(lab.cwd, "note.txt"))).toBe(true);
  });

  it("can be rejected, and the turn continues", async () => {
    const lab = await openLab();
    const { id, events } = await talk(lab, "/write note.txt hello", { decide: "rejected" });
    expect(said(events)).toContain("I did not write note.txt: You said no.");
    expect(await factsOf(lab, id, "action.completed")).toMatchObject([{ status: "failed" }]);
    expect(existsSync(join(lab.cwd, "note.txt"))).toBe(false);
  });

  it("stays granted after the answer always", async () => {
    const lab = await openLab();
    const { id, done } = await begin(lab, "/run echo one", { decide: "nobody" });
    const { approval_id } = await openQuestion(lab, id);
    await lab.belay.approvals.decide({ approval_id, decision: "approved", always: true });
    await done;
    const { events } = await talk(lab, "/run echo two", { id, decide: "nobody" });
    expect(find(events, "permission")).toEqual([]);
    expect(said(events)).toContain("The command is done.");
  });

  it("is answered by kind, whatever the agent calls its options", async () => {
    const lab = await openLab();
    const { events } = await talk(lab, "/ask May I?", { decide: "rejected" });
    expect(said(events)).toContain("You chose reject_once");
  });

  it("accepts one of fifty answers at once", async () => {
    const lab = await openLab();
    const other = await reopenLab(lab.home);
    const { id, done } = await begin(lab, "/ask May I?", { decide: "nobody" });
    const { approval_id } = await openQuestion(lab, id);
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, (_, nth) =>
        (nth % 2 ? lab : other).belay.approvals.decide({
          approval_id,
          decision: nth % 3 ? "approved" : "rejected",
        }),
      ),
    );
    const won = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    const lost = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    expect(won).toHaveLength(1);
    expect(lost.every((e) => e instanceof BelayError && e.code === "approval_closed")).toBe(true);
    const { events } = await done;
    const [answered] = find(events, "answered");
    expect(answered?.decision).toBe(won[0]?.decision);
    const chosen = won[0]?.decision === "approved" ? "allow_once" : "reject_once";
    expect(said(events)).toContain(`You chose ${chosen}`);
  });

  it("is not asked if the user's file allows or denies it", async () => {
    const lab = await openLab({ permissions: { execute: "allow", edit: "deny" } });
    const allowed = await talk(lab, "/run echo yes", { decide: "nobody" });
    expect(find(allowed.events, "permission")).toEqual([]);
    expect(said(allowed.events)).toContain("The command is done.");
    const { id } = allowed;
    const denied = await talk(lab, "/write note.txt no", { id, decide: "nobody" });
    expect(find(denied.events, "permission")).toEqual([]);
    expect(said(denied.events)).toContain("You said no.");
    expect(existsSync(join(lab.cwd, "note.txt"))).toBe(false);
  });

  it("expires when its turn is interrupted, and the agent is informed", async () => {
    const lab = await openLab();
    const other = await reopenLab(lab.home);
    const { id, done } = await begin(lab, "/write note.txt hello", { decide: "nobody" });
    await openQuestion(lab, id);
    await other.belay.turns.interrupt({ id });
    const { events } = await done;
    expect(find(events, "answered")).toMatchObject([{ decision: "expired" }]);
    expect(find(events, "answered")[0]?.note).toContain("interrupted");
    expect(events.at(-1)).toMatchObject({ type: "completed", outcome: "cancelled" });
    expect(await factsOf(lab, id, "action.completed")).toHaveLength(1);
    expect((await lab.belay.sessions.get({ id })).pending_approvals).toBe(0);
    await answers(lab, id);
  });

  it("can be open together with many others", async () => {
    const lab = await openLab({ flags: ["--ask-always"] });
    const { id, done } = await begin(lab, "/tools 10", { decide: "nobody" });
    await until(
      "eight",
      async () => (await lab.belay.sessions.get({ id })).pending_approvals === 8,
    );
    for (let nth = 0; nth < 10; nth += 1) {
      const { approval_id } = await openQuestion(lab, id);
      await lab.belay.approvals.decide({ approval_id, decision: "approved" });
    }
    expect((await done).events.at(-1)).toMatchObject({ outcome: "completed" });
  });
});
