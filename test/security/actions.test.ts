import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Intent } from "../../src/contract/action/intent.ts";
import type { SessionCommand } from "../../src/contract/commands.ts";
import type { Interface } from "../../src/contract/vocabulary.ts";
import { identifyProcess, isAlive } from "../../src/process/process-identity.ts";
import { changeSession } from "../../src/service/change-session.ts";
import type { Caller } from "../../src/service/service-context.ts";
import { openServer, type TestServer } from "../http/open-server.ts";
import { openRecoveryLab, type RecoveryLab } from "../recovery/recovery-lab.ts";

const SECRET = "zebrafish";
const children: { kill(signal: NodeJS.Signals): boolean }[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

/** Fields of an action that cause a program to be examined, ended or run, or a file to be read. */
const POWERS = {
  pid: { pid: 999_999 },
  stdout_path: { stdout_path: "/etc/passwd" },
  stderr_path: { stderr_path: "/etc/passwd" },
  rollback: { rollback: [{ title: "undo", command: "true" }] },
};

describe("an action declared with a token", () => {
  it("with scope write names no process, no file and no command", async () => {
    const server = await openServer();
    await create(server);
    const path = join(server.home, "server-token");
    writeFileSync(path, SECRET);
    for (const [field, power] of Object.entries({
      ...POWERS,
      both: { pid: 9, stdout_path: path },
    })) {
      const asked = await server.ask("POST", "/sessions/paper-1/actions", {
        body: { type: "mail", ...power },
      });
      expect([field, asked.status], field).toEqual([field, 403]);
      expect(asked.json).toMatchObject({ error: "not_allowed", details: { needed: "admin" } });
    }
    const plain = { body: { type: "mail", effects: "remote", cmd: "mail" } };
    expect((await server.ask("POST", "/sessions/paper-1/actions", plain)).status).toBe(201);
    const plan = { body: { id: "paper-1", force: true, dry_run: true } };
    const { text } = await server.ask("POST", "/recover", plan);
    expect(text).not.toContain(SECRET);
  });

  it("with scope admin names them", async () => {
    const server = await openServer();
    await create(server);
    const body = { type: "mail", ...POWERS.rollback, ...POWERS.pid };
    const token = server.tokens.ann.admin;
    const asked = await server.ask("POST", "/sessions/paper-1/actions", { token, body });
    expect(asked.status).toBe(201);
  });
});

describe("a rollback", () => {
  it("is shown to a write token and run by an admin, without the server's environment", async () => {
    const server = await openServer();
    await create(server);
    const { ann } = server.tokens;
    const rollback = [{ title: "undo", command: "env > all.txt" }];
    const body = { type: "mail", effects: "remote", rollback };
    await server.ask("POST", "/sessions/paper-1/actions", { token: ann.admin, body });
    const found = await server.ask("POST", "/recover", { body: { id: "paper-1", force: true } });
    const question = firstQuestion(found.json);
    const answer = (token: string, more = {}) =>
      server.ask("POST", `/approvals/${question}/answer`, {
        token,
        body: { answer: "rollback", ...more },
      });
    expect((await answer(ann.write, { dry_run: true })).text).toContain("env > all.txt");
    const refused = await answer(ann.write);
    expect([refused.status, refused.json]).toMatchObject([403, { error: "not_allowed" }]);
    process.env.BELAY_TEST_PASSWORD = SECRET;
    try {
      expect((await answer(ann.admin)).text).toContain('"result":"success"');
    } finally {
      delete process.env.BELAY_TEST_PASSWORD;
    }
    const all = readFileSync(join(server.home, "all.txt"), "utf8");
    expect(all).toContain("PATH=");
    expect(all).not.toContain(SECRET);
  });
});

describe("an action that an older version accepted from anyone", () => {
  it("neither shows a file, nor ends a process, nor runs a command", async () => {
    const lab = await openRecoveryLab({ policy: { alive: "rerun" } });
    const { path, process: victim } = await prepareVictim(lab);
    const declared = { process: { ...victim, stdout_path: path }, rollback: [UNDO] };
    await declare(lab, "api", { ...declared, effects: "local" });
    const plan = await lab.recover({ id: "paper-1", force: true, dry_run: true });
    expect(JSON.stringify(plan)).not.toContain(SECRET);
    expect(plan.sessions[0]?.actions).toMatchObject([{ process: "unproven", tail: null }]);
    const { sessions } = await lab.recover({ id: "paper-1", force: true });
    expect(isAlive(victim)).toBe(true);
    const question = sessions[0]?.approval_id ?? "none";
    await expect(lab.answer(question, "rollback")).rejects.toMatchObject({ code: "invalid_input" });
  });

  it("is trusted if the owner of the data folder wrote it", async () => {
    const lab = await openRecoveryLab({ policy: { alive: "rerun" } });
    const { path, process: victim } = await prepareVictim(lab);
    const declared = { process: { ...victim, stdout_path: path }, rollback: [UNDO] };
    await declare(lab, "cli", { ...declared, effects: "local" });
    const plan = await lab.recover({ id: "paper-1", force: true });
    expect(plan.sessions[0]?.actions).toMatchObject([{ process: "alive", tail: SECRET }]);
    await expect.poll(() => isAlive(victim)).toBe(false);
  });
});

describe("a file that an action names", () => {
  it("must be in the session's folder or in the logs, and not a link", async () => {
    const lab = await openRecoveryLab();
    const folder = join(lab.home, "project");
    const outside = join(lab.home, "server-token");
    mkdirSync(folder);
    writeFileSync(outside, SECRET);
    symlinkSync(outside, join(folder, "link"));
    symlinkSync(lab.home, join(folder, "up"));
    writeFileSync(join(lab.logs, "paper.log"), "from the logs");
    writeFileSync(join(folder, "own.log"), "from the project");
    const project = { cwd: folder, repo: null, branch: null };
    const create = { agent_name: "a", session_id: "paper-1", project };
    await lab.service.call("create", create, lab.caller);
    for (const stdout_path of [
      outside,
      "../server-token",
      `${folder}/../server-token`,
      "/dev/tty",
    ]) {
      const begun = lab.begin("paper-1", { type: "mail", pid: 999_999, stdout_path });
      await expect(begun, stdout_path).rejects.toMatchObject({ code: "invalid_input" });
    }
    for (const stdout_path of ["link", "up/server-token", "own.log", join(lab.logs, "paper.log")]) {
      await lab.begin("paper-1", { type: "mail", pid: 999_999, stdout_path });
    }
    const { sessions } = await lab.recover({ id: "paper-1", force: true, dry_run: true });
    expect(sessions[0]?.actions.map(({ tail }) => tail)).toEqual([
      null,
      null,
      "from the project",
      "from the logs",
    ]);
  });
});

// Root could end it, so only the check keeps it alive.
describe.runIf(process.getuid?.() === 0)("a process of another user (needs root)", () => {
  it("is ended by no recovery and no rollback, even if the owner named it", async () => {
    const lab = await openRecoveryLab({ policy: { alive: "rerun" } });
    // The second looks like another user's setuid program of root's.
    for (const [nth, user] of ["--reuid=65534", "--ruid=65534"].entries()) {
      const child = spawn("setpriv", [user, "--clear-groups", "sleep", "60"]);
      children.push(child);
      const pid = child.pid ?? 0;
      const status = () => readFileSync(`/proc/${pid}/status`, "utf8");
      await expect.poll(status).toMatch(/^Name:\tsleep$/m);
      expect(status()).toMatch(/^Uid:\t65534\t/m);
      const id = `other-${nth}`;
      await lab.create(id);
      await lab.begin(id, { type: "build", effects: "local", pid, rollback: [UNDO] });
      const { sessions } = await lab.recover({ id, force: true });
      expect(sessions[0]?.actions).toMatchObject([{ process: "unproven" }]);
      expect(await lab.answer(sessions[0]?.approval_id ?? "", "rollback")).toMatchObject({
        rollback: [{ result: "success" }],
      });
      expect(child.signalCode).toBe(null);
      expect(status()).toMatch(/^State:\tS/m);
    }
  });
});

const UNDO = { title: "undo", command: "exit 0" };

async function create({ service, home }: TestServer): Promise<void> {
  const ann = { owner: "ann", actor: "ann", interface: "library", trace_id: null } as const;
  const project = { cwd: home, repo: null, branch: null };
  await service.call("create", { agent_name: "a", session_id: "paper-1", project }, ann);
}

async function prepareVictim(lab: RecoveryLab) {
  const path = join(lab.home, "server-token");
  writeFileSync(path, SECRET);
  const child = spawn("sleep", ["60"]);
  children.push(child);
  const project = { cwd: lab.home, repo: null, branch: null };
  await lab.service.call("create", { agent_name: "a", session_id: "paper-1", project }, lab.caller);
  const process = { ...identifyProcess(child.pid ?? 0), cmd: null, stderr_path: null };
  return { path, process };
}

/** As an older version wrote it: without the permission to run programs here. */
async function declare(lab: RecoveryLab, door: Interface, intent: Partial<Intent>): Promise<void> {
  const { type: _, ...declared } = intent;
  const command: SessionCommand<"begin_action"> = {
    ...{ type: "begin_action", action_id: "a-1", turn_id: null, action_type: "mail" },
    ...{ effects: "remote", idempotent: false, idempotency_key: null, detachable: false },
    ...{ orphanable: false, rollback: [], process: null, details: {} },
    ...declared,
  };
  const by: Caller = { ...lab.caller, interface: door };
  await changeSession(lab.context, by, { id: "paper-1", commands: () => [command] });
}

function firstQuestion(json: unknown): string {
  const found = /"approval_id":"([^"]+)"/.exec(JSON.stringify(json));
  return found?.[1] ?? "";
}
