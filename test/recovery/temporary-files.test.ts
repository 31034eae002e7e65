import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Input } from "../../src/contract/operations.ts";
import { openRecoveryLab } from "./recovery-lab.ts";

async function openWork() {
  const lab = await openRecoveryLab();
  const cwd = join(lab.home, "work");
  mkdirSync(join(cwd, "out"), { recursive: true });
  const by = { ...lab.caller, project: { cwd, repo: null, branch: null } };
  await lab.service.call("create", { agent_name: "a", session_id: "sess-1" }, by);
  const begin = (action: Omit<Input<"begin_action">, "id">, caller = lab.caller) =>
    lab.service.call("begin_action", { id: "sess-1", ...action }, caller);
  const file = (name: string): string => {
    writeFileSync(join(cwd, name), "half");
    return join(cwd, name);
  };
  return { lab, cwd, begin, file };
}

it("only the temporary files of a local action are removed before it is repeated", async () => {
  const { lab, cwd, begin, file } = await openWork();
  const outside = join(lab.home, "theirs");
  mkdirSync(outside);
  writeFileSync(join(outside, "kept"), "kept");
  symlinkSync(outside, join(cwd, "linked"));
  symlinkSync(join(outside, "kept"), join(cwd, "link"));
  const [half, remote] = [file("out/half.tmp"), file("remote.tmp")];
  const temporary = ["out/half.tmp", "out", "link", "linked/kept", "missing/at.all"];
  await begin({ type: "build", effects: "local", temporary });
  await begin({ type: "send", effects: "remote", temporary: ["remote.tmp"] });
  lab.wait(10);
  const planned = (await lab.recover({ dry_run: true })).sessions[0]?.actions;
  expect(planned?.[0]).toMatchObject({ step: "rerun", removed: expect.arrayContaining([half]) });
  expect(existsSync(half)).toBe(true);
  const { sessions } = await lab.recover();
  expect(sessions[0]?.actions).toMatchObject([
    { type: "build", removed: [half] },
    { type: "send", removed: [] },
  ]);
  expect(existsSync(half)).toBe(false);
  expect(existsSync(remote)).toBe(true);
  expect(existsSync(join(cwd, "out"))).toBe(true);
  expect(readFileSync(join(cwd, "link"), "utf8")).toBe("kept");
});

it("temporary files must be in the project folder, and need the right to run programs", async () => {
  const { lab, cwd, begin } = await openWork();
  for (const path of ["../escaped", "/etc/hostname", join(lab.logs, "a.log"), cwd]) {
    const named = begin({ type: "build", effects: "local", temporary: [path] });
    await expect(named).rejects.toMatchObject({ code: "invalid_input" });
  }
  const many = Array.from({ length: 33 }, (_, nth) => `${nth}.tmp`);
  await expect(begin({ type: "build", temporary: many })).rejects.toMatchObject({
    code: "invalid_input",
  });
  const writer = { ...lab.caller, scope: "write" as const };
  await expect(begin({ type: "build", temporary: ["a.tmp"] }, writer)).rejects.toMatchObject({
    code: "not_allowed",
  });
});
