import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { listOf, RunningProgram, textOf } from "../../serve/server-process.ts";
import { HOSTILE_TEXTS } from "./hostile-texts.ts";
import { approvalOf, begin, send, until, type WebLab } from "./web-lab.ts";

export interface HostileScene {
  /** Recorded turns, actions, checkpoints, artifacts: everything that others may submit. */
  readonly recorded: string;
  /** An agent's texts, thoughts, plans, questions and actions. */
  readonly agent: string;
  /** Asks to overwrite a file of more lines than are shown. */
  readonly changing: string;
  /** Suspended by a question of recovery. */
  readonly recovering: string;
}

/** Puts the hostile texts into every possible field. */
export async function playHostileScene(lab: WebLab): Promise<HostileScene> {
  const { server } = lab;
  const ask = async (method: string, path: string, body: unknown): Promise<unknown> => {
    const { status, json, text } = await server.ask(method, path, { body });
    if (status >= 300) throw new Error(`${method} ${path}: ${text}`);
    return json;
  };
  await Promise.all(HOSTILE_TEXTS.map((text, nth) => beginNamed(ask, text, nth)));

  for (const title of HOSTILE_TEXTS.slice(0, 3)) {
    const deleted = await begin(lab, { agent_name: "elsewhere", title });
    await ask("DELETE", `/sessions/${deleted}`, {});
  }

  const recorded = await begin(lab, { agent_name: "elsewhere", title: "Recorded" });
  const path = `/sessions/${recorded}`;
  const rollback = HOSTILE_TEXTS.slice(0, 5).map((text) => ({ title: text, command: text }));
  for (const text of HOSTILE_TEXTS) {
    await ask("POST", `${path}/turns`, { input: text, output: text });
    const details = {
      title: text,
      input: { [text]: text, path: text },
      diffs: [{ path: text, old_text: text, new_text: `${text}\n${text}` }],
      output: text,
    };
    const begun = await ask("POST", `${path}/actions`, { type: withoutControls(text), details });
    const action = textOf(begun, "action_id");
    await ask("POST", `${path}/actions/${action}/complete`, { result: text, details });
    await ask("POST", `${path}/artifacts`, {
      name: withoutControls(text),
      uri: `javascript:${text}`,
      details,
    });
  }
  await ask("POST", `${path}/turns`, { input: "x".repeat(100_000), output: "y".repeat(100_000) });
  await ask("POST", `${path}/checkpoints`, { name: "one", state: { text: HOSTILE_TEXTS } });
  await ask("POST", `${path}/outcomes`, { type: HOSTILE_TEXTS[0], details: {} });

  const agent = await begin(lab, { title: "Said by an agent" });
  const said = HOSTILE_TEXTS.flatMap((text) => [`/say ${text}`, `/think ${text}`]);
  const plan = `/plan ${HOSTILE_TEXTS.slice(0, 6).map(withoutSemicolons).join("; ")}`;
  const asked = `/ask ${HOSTILE_TEXTS[5]}`;
  await send(lab, agent, ["/pace 0", ...said, plan, asked].join("\n"));
  await answer(lab, agent, HOSTILE_TEXTS[0] ?? "");
  // This one stays open.
  await send(lab, agent, `/ask ${HOSTILE_TEXTS[9]}`);
  await approvalOf(lab, agent);

  const recovering = await begin(lab, { agent_name: "elsewhere", title: "Cut off" });
  const open = { type: "deploy", effects: "remote", rollback, pid: await deadPid(lab) };
  const details = { title: HOSTILE_TEXTS[5], input: { text: HOSTILE_TEXTS[0] } };
  await ask("POST", `/sessions/${recovering}/actions`, { ...open, details });
  const title = HOSTILE_TEXTS[6];
  await ask("POST", `${path}/approvals`, { title, body: HOSTILE_TEXTS.join("\n") });
  await ask("POST", "/recover", { id: recovering, force: true });
  await approvalOf(lab, recovering);
  const lines = Array.from({ length: 300 }, (_, nth) => `${HOSTILE_TEXTS[nth % 40]}\n`);
  writeFileSync(join(lab.place.root, "work", "long.txt"), lines.join(""));
  const changing = await begin(lab, { title: "Changes a long file" }, "/write long.txt short");
  await approvalOf(lab, changing);
  return { recorded, agent, changing, recovering };
}

type Ask = (method: string, path: string, body: unknown) => Promise<unknown>;

async function beginNamed(ask: Ask, text: string, nth: number): Promise<void> {
  const task_id = `task-${nth}`;
  await ask("POST", "/tasks", { task_id, title: text });
  const project = { cwd: `/srv/${text}`, repo: text, branch: text };
  const names = {
    agent_name: withoutControls(text).slice(-60),
    title: text,
    purpose: text,
    task_id,
    project,
  };
  const session = await ask("POST", "/sessions", { ...names, metadata: { text } });
  if (nth % 10 === 3)
    await ask("POST", `/sessions/${textOf(session, "session_id")}/fail`, { error: text });
}

async function answer(lab: WebLab, id: string, note: string): Promise<void> {
  const body = { decision: "approved", note };
  await lab.server.ask("POST", `/approvals/${await approvalOf(lab, id)}`, { body });
  await until("the end of the turn", async () => {
    const { json } = await lab.server.ask("GET", `/sessions/${id}/messages`);
    return listOf(json, "turns")[0]?.ended_at;
  });
}

/** The pid of a process that has ended. */
async function deadPid({ place }: WebLab): Promise<number> {
  const program = new RunningProgram(["/bin/true"], place, {});
  await program.ended;
  return program.child.pid ?? 1;
}

/** Names with control characters are refused. */
function withoutControls(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, "");
}

/** Semicolons separate the steps of a plan. */
function withoutSemicolons(text: string): string {
  return text.replaceAll(";", ",");
}
