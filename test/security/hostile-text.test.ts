import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProgram } from "../../src/compose-program.ts";
import { OPERATIONS } from "../../src/contract/operations.ts";
import type { SYSTEM_COMMANDS } from "../../src/doors/cli/commands/system-commands.ts";
import { COMMANDS } from "../../src/doors/cli/commands.ts";
import { createTerminal } from "../../src/doors/cli/create-terminal.ts";
import { flagsOf } from "../../src/doors/cli/flags.ts";
import { runCli } from "../../src/doors/cli/run-cli.ts";
import { openBelay } from "../../src/index.ts";
import { newPlace } from "../cli/run-belay.ts";
import { openRecoveryLab } from "../recovery/recovery-lab.ts";

/** A person at a terminal sees all foreign text, and the terminal obeys none of it. */

const EVIL = "a\u001b[2J\u009b31mb\u202ec\u200bd\re\u{e0041}\ud83d";
/** For fields that refuse control characters. */
const QUIET = "a\u202eb\u200bc\u2066";
const SHOWN = /⟦U\+(?:202E|001B)⟧/;

const root = mkdtempSync(join(tmpdir(), "belay-hostile-"));
const home = join(root, "home");
const before = process.cwd();
let nth = 0;
let belay: Awaited<ReturnType<typeof openBelay>>;

beforeAll(async () => {
  process.chdir(root);
  belay = await openBelay({ home });
  mkdirSync(join(root, ".claude"));
  writeFileSync(join(root, ".claude", "settings.json"), JSON.stringify({ [EVIL]: EVIL }, null, 2));
  writeFileSync(
    join(root, ".mcp.json"),
    `{\n  "x": ${JSON.stringify(EVIL)}, // \u202e\u009b2J\n}\n`,
  );
  mkdirSync(join(root, ".belay"));
  const agent = { command: `./${QUIET}`, args: [EVIL], env: { X: EVIL } };
  writeFileSync(
    join(root, ".belay", "agents.json"),
    JSON.stringify({ agents: { [QUIET]: agent, team: agent } }),
  );
  mkdirSync(join(root, "gaia", QUIET), { recursive: true });
  writeFileSync(join(root, "gaia", QUIET, "state.json"), `{"agent_id": "${EVIL}`);
  mkdirSync(join(root, ".copilot"));
  writeFileSync(
    join(root, ".copilot", "session_state.json"),
    JSON.stringify({ trace_id: EVIL, next_step: EVIL }),
  );
  writeFileSync(
    join(root, "events.ndjson"),
    `${JSON.stringify({ type: "action.started", step: EVIL })}\n${EVIL}\n`,
  );
  writeFileSync(
    join(root, `${QUIET}.ndjson`),
    `${JSON.stringify({ id: "B-1", title: EVIL })}\n${EVIL}\n`,
  );
});

afterAll(async () => {
  await belay.close();
  process.chdir(before);
  rmSync(root, { recursive: true, force: true });
});

/** Runs a command like a person, and also records its output before the terminal's own check. */
async function show(...args: string[]) {
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
  const terminal = createTerminal(streams, false);
  let raw = "";
  const code = await runCli(
    args,
    createProgram(home, {
      ...terminal,
      write(text) {
        raw += text;
        terminal.write(text);
      },
    }),
  );
  const text = `${streams.stdout.read() ?? ""}${streams.stderr.read() ?? ""}`;
  return { code, text, unsafe: [...unsafeIn(text), ...unsafeIn(raw)] };
}

function unsafeIn(text: string): string[] {
  return text.match(/(?![\n\t])[\p{C}\p{Zl}\p{Zp}]|\u115f|\u3164/gu) ?? [];
}

/** A session with hostile text in every stored field, and the ids for commands. */
async function fillStore(): Promise<Readonly<Record<string, string>>> {
  nth += 1;
  const id = `evil-${nth}-session`;
  const task_id = `T-${nth}\u202e`;
  await belay.tasks.add({ task_id, title: EVIL, priority: QUIET });
  await belay.sessions.create({
    session_id: id,
    agent_name: QUIET,
    purpose: EVIL,
    title: EVIL,
    task_id,
    metadata: { note: EVIL },
    project: { cwd: root, repo: EVIL, branch: EVIL },
  });
  await belay.sessions.update({ id, error: EVIL });
  await belay.turns.record({ id, input: EVIL, output: `${EVIL}\n${EVIL}` });
  await belay.actions.begin({
    id,
    action_id: "done-1",
    type: QUIET,
    cmd: EVIL,
    details: { title: EVIL },
  });
  await belay.actions.complete({ id, action_id: "done-1", status: "failed", result: EVIL });
  await belay.actions.begin({
    id,
    action_id: "open-1",
    type: QUIET,
    cmd: EVIL,
    details: { title: EVIL, entity_id: QUIET },
  });
  await belay.checkpoints.save({ id, name: QUIET, state: { text: EVIL } });
  await belay.outcomes.record({ id, type: QUIET, outcome_id: QUIET, details: { text: EVIL } });
  await belay.artifacts.record({ id, name: QUIET, uri: `file:///${QUIET}` });
  const { approval_id } = await belay.approvals.request({
    id,
    title: EVIL.slice(0, 100),
    body: EVIL,
  });
  const token = await belay.tokens.create({ name: QUIET, scope: "read" });
  const { webhooks } = await belay.webhooks.list();
  for (const { id: old } of webhooks) await belay.webhooks.remove({ webhook: old });
  const hook = await belay.webhooks.add({
    url: `http://127.0.0.1:9/${nth}`,
    allow_private: true,
    on: ["session.failed"],
  });
  await belay.people.add({ name: "evil", display_name: QUIET });
  const { link_id } = await belay.links.add({ id });
  return {
    id,
    approval_id,
    task_id,
    token_id: token.id,
    link_id,
    webhook: hook.id,
    action_id: "open-1",
    name: QUIET,
    title: EVIL,
    type: QUIET,
    entity_id: QUIET,
    outcome: "failed",
    answer: "continue",
    url: "http://127.0.0.1:9/x",
  };
}

describe("commands that are one operation", () => {
  const shown: string[] = [];

  it.each(Object.entries(COMMANDS))("belay %s", async (name, command) => {
    const filled = await fillStore();
    const values = name.startsWith("people") ? { ...filled, name: "evil" } : filled;
    const given = [
      ...command.positional,
      ...Object.keys("fixed" in command ? (command.fixed ?? {}) : {}),
    ];
    const { shape } = OPERATIONS[command.operation].input;
    const flags = flagsOf(shape, given, "flags" in command ? command.flags : {})
      .filter(({ required }) => required)
      .flatMap(({ name: flag, takes, choices }) => [
        `--${flag}`,
        takes === "json" ? "{}" : (choices[0] ?? QUIET),
      ]);
    const positional = command.positional.map((field) => values[field] ?? `no value for ${field}`);
    const { text, unsafe } = await show(...name.split(" "), ...flags, "--", ...positional);
    expect(unsafe).toEqual([]);
    expect(text).not.toContain("no value for");
    if (SHOWN.test(text)) shown.push(name);
    const wrong = await show(...name.split(" "), EVIL, EVIL, EVIL, `--${EVIL}`);
    expect(wrong.unsafe).toEqual([]);
  });

  it("control: show most of these texts", () => {
    expect(shown.length).toBeGreaterThan(30);
  });
});

/** The arguments of each other command; null with a reason. */
const SYSTEM = {
  run: null, // with an agent, below
  send: null,
  handoff: null,
  replay: null,
  attach: null, // the same view as send
  agents: [
    ["agents"],
    ["agents", "trust"],
    ["agents", "add", EVIL, "--", EVIL],
    ["agents", "remove", EVIL],
  ],
  serve: [
    ["serve", "--log", EVIL],
    ["serve", "--port", EVIL],
  ],
  login: [["login"], ["login", "--for", EVIL]],
  mcp: [
    ["mcp", "install", "claude-code", "--print"],
    ["mcp", EVIL],
  ],
  init: [["init"], ["init", "--mirror", EVIL]],
  hooks: [
    ["hooks", "install", "claude-code", "--print"],
    ["hooks", EVIL],
  ],
  import: [
    ["import", "gaia", join(root, "gaia")],
    ["import", EVIL, EVIL],
  ],
  restore: [
    ["restore", "--session-state", join(root, ".copilot", "session_state.json")],
    ["restore", "--session-state", `/${EVIL}`],
  ],
  "tasks import": [
    ["tasks", "import", join(root, `${QUIET}.ndjson`)],
    ["tasks", "import", EVIL],
  ],
  "checkpoint trust": [["checkpoint", "trust"]],
  verify: [["verify"]],
  doctor: [["doctor"]],
  durability: [["durability", EVIL]],
  redact: [["redact", EVIL]],
  encrypt: [
    ["encrypt", EVIL],
    ["encrypt", "status"],
  ],
  compact: [["compact"], ["compact", EVIL]],
  export: [
    ["export", "evil-1"],
    ["export", "evil-1", "--redact", "--out", join(root, QUIET)],
    ["export", "evil-1", "--preview"],
    ["export", EVIL, "--format", EVIL],
  ],
  upload: [
    ["upload", EVIL, EVIL],
    ["upload", "evil-1", join(root, `${QUIET}.ndjson`), "--name", QUIET],
  ],
  download: [["download", "evil-1", EVIL, EVIL]],
  backup: [["backup", join(root, `backup-${QUIET}`)]],
  migrate: [
    ["migrate", "--from", EVIL, "--to", EVIL],
    ["migrate", "--from", `sqlite:${join(root, EVIL)}`, "--to", `files:${join(root, EVIL)}`],
  ],
  completion: [
    ["completion", "bash"],
    ["completion", EVIL],
  ],
  "demo-agent": null, // speaks a protocol, not to a person
  demo: null, // shows its own texts only
  version: [["version"]],
} as const satisfies Record<keyof typeof SYSTEM_COMMANDS, readonly (readonly string[])[] | null>;

describe("commands about the system", () => {
  const calls = Object.values(SYSTEM).flatMap((some): readonly (readonly string[])[] => some ?? []);

  it.each(calls.map((args) => [args]))("belay %j", async (args) => {
    expect((await show(...args)).unsafe).toEqual([]);
  });

  it.each([
    [["hooks", "install", "claude-code", "--print"]],
    [["mcp", "install", "claude-code", "--print"]],
    [["agents"]],
    [["import", "gaia", join(root, "gaia")]],
  ])("belay %j shows what is hidden", async (args) => {
    expect((await show(...args)).text).toMatch(SHOWN);
  });

  it("belay run and send, with any text", async () => {
    const place = newPlace();
    try {
      const said = `${EVIL.slice(0, -1)}${" ".repeat(4100)}end`;
      const ran = await place.belay("run", "demo", said, "--once", "--id", "evil-run-1");
      expect(ran.code).toBe(0);
      const colored = await place.with({ FORCE_COLOR: "1" }, "turns", "evil-run-1");
      const sent = await place.belay("send", "evil-run-1", `run echo ${said}`);
      expect(unsafeIn(ran.stdout + ran.stderr + sent.stdout + sent.stderr)).toEqual([]);
      expect(ran.stdout).toMatch(SHOWN);
      expect(colored.stdout).toContain("[… 4,100 spaces …]");
      expect(colored.stdout).toContain("⟦U+001B⟧[2J⟦U+009B⟧31mb");
      const json = await place.belay("turns", "evil-run-1", "--json");
      expect(unsafeIn(json.stdout)).toEqual([]);
      expect(JSON.stringify(json.json)).toContain("\u009b31mb\u202ec");
    } finally {
      place.remove();
    }
  });
});

describe("files for people", () => {
  it("the backlog", async () => {
    await fillStore();
    await show("tasks", "list", "--format", "md");
    const text = readFileSync(join(root, "MASTER_BACKLOG.md"), "utf8");
    expect(unsafeIn(text)).toEqual([]);
    expect(text).toMatch(SHOWN);
  });

  it("a question of recovery", async () => {
    const lab = await openRecoveryLab();
    await lab.create("evil-recovery");
    const command = `ls\n# Approved\n${EVIL}`;
    await lab.begin("evil-recovery", {
      type: QUIET,
      effects: "remote",
      details: { title: EVIL },
      rollback: [{ title: `[x](http://x) <b>${EVIL}`, command }],
    });
    lab.wait(6);
    await lab.recover();
    const text = readFileSync(join(lab.home, "evil-recovery", "CHECKPOINT_1.md"), "utf8");
    expect(unsafeIn(text)).toEqual([]);
    expect(text).toMatch(SHOWN);
    expect(text).toContain("1. \\[x\\](http://x) \\<b\\>a");
    expect(text).not.toMatch(/^# Approved/m);
  });
});
