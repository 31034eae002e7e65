import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { RecoveryLab } from "./recovery-lab.ts";
import { openRecoveryLab } from "./recovery-lab.ts";

async function asked(
  lab: RecoveryLab,
  id: string,
  rollback: { title: string; command: string }[] = [],
) {
  await lab.create(id);
  await lab.begin(id, { type: "mail", effects: "remote", rollback });
  lab.wait(6);
  const { sessions } = await lab.recover();
  return sessions.find(({ session_id }) => session_id === id)?.approval_id ?? "";
}

describe("an answer to a question of recovery", () => {
  it("continue resumes the session, and never repeats the action", async () => {
    const lab = await openRecoveryLab();
    const question = await asked(lab, "go-on-1");
    await expect(lab.service.call("resume", { id: "go-on-1" }, lab.caller)).rejects.toMatchObject({
      code: "recovery_pending",
    });
    expect(await lab.answer(question, "continue")).toMatchObject({ status: "active" });
    const done = (await lab.log("go-on-1")).filter(({ type }) => type === "action.completed");
    expect(done).toMatchObject([
      { data: { status: "interrupted", details: { outcome: "unknown" } } },
    ]);
  });

  it("abort ends the session", async () => {
    const lab = await openRecoveryLab();
    expect(await lab.answer(await asked(lab, "abort-1"), "abort")).toMatchObject({
      status: "cancelled",
    });
  });

  it("rollback shows its steps first, then runs them in order, each as an action", async () => {
    const lab = await openRecoveryLab();
    const file = join(lab.home, "undone");
    const question = await asked(lab, "undo-1", [
      { title: "first", command: `echo 1 >> ${file}` },
      { title: "second", command: `echo 2 >> ${file}` },
    ]);
    const planned = await lab.answer(question, "rollback", true);
    expect(planned.rollback.map(({ result }) => result)).toEqual(["planned", "planned"]);
    expect(existsSync(file)).toBe(false);
    const undone = await lab.answer(question, "rollback");
    expect(undone).toMatchObject({ status: "suspended" });
    expect(readFileSync(file, "utf8")).toBe("1\n2\n");
    const log = await lab.log("undo-1");
    expect(
      log.filter(({ type, data }) => type === "action.started" && data.type === "rollback"),
    ).toHaveLength(2);
    expect(log.findLast(({ type }) => type === "session.recovered")?.data.status).toBe(
      "required-rollback",
    );
  });

  it("rollback stops at the first failed step, and reports it", async () => {
    const lab = await openRecoveryLab();
    const question = await asked(lab, "undo-2", [
      { title: "fails", command: "echo no; exit 3" },
      { title: "after", command: "true" },
    ]);
    const { rollback } = await lab.answer(question, "rollback");
    expect(rollback).toMatchObject([
      { result: "failed", output: "no\n" },
      { result: "not run", output: null },
    ]);
  });

  it("rollback without steps is refused, and the question stays open", async () => {
    const lab = await openRecoveryLab();
    const question = await asked(lab, "undo-3");
    await expect(lab.answer(question, "rollback")).rejects.toMatchObject({ code: "invalid_input" });
    expect((await lab.get("undo-3")).pending_approvals).toBe(1);
  });

  it("is accepted once if a hundred arrive at once", async () => {
    const lab = await openRecoveryLab();
    const question = await asked(lab, "race-1");
    const answers = Array.from({ length: 100 }, (_, nth) =>
      lab.answer(question, nth % 2 === 0 ? "continue" : "abort"),
    );
    const settled = await Promise.allSettled(answers);
    expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const one of settled) {
      if (one.status === "rejected") expect(one.reason).toMatchObject({ code: "approval_closed" });
    }
    const decided = (await lab.log("race-1")).filter(({ type }) => type === "approval.decided");
    expect(decided).toHaveLength(1);
  });

  it("is refused if the evidence has changed since, and the question is asked again", async () => {
    const lab = await openRecoveryLab();
    const child = spawn("sleep", ["1000"], { stdio: "ignore" });
    await lab.create("void-1");
    await lab.begin("void-1", { type: "upload", effects: "remote", pid: child.pid ?? 0 });
    lab.wait(6);
    const [session] = (await lab.recover()).sessions;
    expect(session?.actions).toMatchObject([{ step: "leave_and_ask" }]);
    child.kill("SIGKILL");
    await once(child, "exit");
    const question = session?.approval_id ?? "";
    await expect(lab.answer(question, "continue")).rejects.toMatchObject({
      code: "approval_closed",
    });
    const { approvals } = await lab.service.call("list_approvals", {}, lab.caller);
    expect(approvals).toHaveLength(1);
    expect(approvals[0]?.approval_id).not.toBe(question);
    expect(await lab.answer(approvals[0]?.approval_id ?? "", "continue")).toMatchObject({
      status: "active",
    });
  });

  it("does not answer another kind of question", async () => {
    const lab = await openRecoveryLab();
    await lab.create("other-1");
    const { approval_id } = await lab.service.call(
      "request_approval",
      { id: "other-1", title: "May I?" },
      lab.caller,
    );
    await expect(lab.answer(approval_id, "continue")).rejects.toMatchObject({
      code: "invalid_input",
    });
  });
});
