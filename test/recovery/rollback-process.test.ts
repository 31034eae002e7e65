import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runRollback } from "../../src/drive/recovery/run-rollback.ts";
import { isAlive } from "../../src/process/process-identity.ts";
import { sessionIn } from "../core/session-in.ts";
import { openRecoveryLab } from "./recovery-lab.ts";

it("a rollback step is recorded with its process before it runs, and its output is stored", async () => {
  const { home } = await openRecoveryLab();
  const mark = join(home, "ran");
  const seen: unknown[] = [];
  const rollback = {
    steps: [{ title: "undo", command: `touch ${mark}; echo undone` }],
    place: { cwd: home, env: { PATH: process.env.PATH ?? "" } },
    kept: { root: home, names: [".tmp", "logs"] },
    now: Date.now,
    newId: () => "a-1",
    ordered: () => [],
    done: () => [],
  };
  const refused = { ...rollback, write: () => Promise.reject(new Error("the disk is full")) };
  await expect(runRollback(refused)).rejects.toThrow("the disk is full");
  const write: Parameters<typeof runRollback>[0]["write"] = async (commands) => {
    for (const command of commands(sessionIn("active").head)) {
      if (command.type !== "begin_action" || !command.process) continue;
      seen.push([existsSync(mark), isAlive(command.process), command.process.start_time !== null]);
    }
  };
  expect(await runRollback({ ...rollback, write })).toMatchObject([
    { result: "success", output: "undone\n" },
  ]);
  expect(seen).toEqual([[false, true, true]]);
  const logs = readdirSync(join(home, ".tmp", "logs")).toSorted();
  expect(logs).toHaveLength(2);
  expect(readFileSync(join(home, ".tmp", "logs", logs.at(-1) ?? ""), "utf8")).toBe("undone\n");
});

it("a rollback step that a killed rollback left running is not run a second time", async () => {
  const lab = await openRecoveryLab();
  const child = spawn("sleep", ["60"], { stdio: "ignore" });
  try {
    await lab.create("cut-off-1");
    const rollback = [{ title: "undo", command: `touch ${join(lab.home, "twice")}` }];
    await lab.begin("cut-off-1", { type: "rollback", pid: child.pid ?? 0, rollback });
    lab.wait(6);
    const { sessions } = await lab.recover();
    const question = sessions[0]?.approval_id ?? "";
    await expect(lab.answer(question, "rollback")).rejects.toMatchObject({ code: "session_held" });
    expect(existsSync(join(lab.home, "twice"))).toBe(false);
  } finally {
    child.kill("SIGKILL");
  }
});
