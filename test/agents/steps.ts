import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fieldsOf, numberOf } from "../../src/agent/acp/read-fields.ts";
import type { LogEvent } from "../../src/contract/session.ts";
import { DIED } from "../../src/core/session/evolve-session.ts";
import { importSession } from "./import-session.ts";
import { kill, processesOf } from "./make-place.ts";
import { ORDERS, wordFor } from "./model/plan-reply.ts";
import type { Answer, Trial } from "./trial.ts";
import { until } from "./until.ts";

/** A step that every agent must pass under Belay. Returns a description for the person who watches the run. */
export interface Step {
  readonly claim: string;
  run(trial: Trial): Promise<string>;
}

/** Each step continues from the previous one. */
export const STEPS: readonly Step[] = [
  { claim: "streams an answer", run: streamAnswer },
  { claim: "runs a command that another process allows", run: allowCommand },
  { claim: "kill -9 of agent and Belay: what was open is settled", run: killAgent },
  { claim: "goes on with all that was said, the cut prompt too", run: goOn },
  { claim: "kill -9 of Belay and all that the agent runs", run: killTree },
  { claim: "goes on with all that was said, both cut prompts too", run: goOn },
  { claim: "is ended when idle, and comes back", run: reapIdle },
  { claim: "stops in the middle of an answer, and stays usable", run: interruptAnswer },
  { claim: "fails a turn whose model answers HTTP 500", run: failModel },
  {
    claim: "is suspended by SIGHUP, and goes on",
    run: (trial) => hangUp(trial, "startBelay", (driver) => driver.kill("SIGHUP")),
  },
  {
    claim: "is suspended when its reader leaves (EPIPE), and goes on",
    run: (trial) => hangUp(trial, "startBelay", (driver) => driver.stdout?.destroy()),
  },
  {
    claim: "is suspended when its terminal closes (EIO), and goes on",
    run: (trial) => hangUp(trial, "startAtTerminal", (driver) => driver.kill("SIGKILL")),
  },
  { claim: "is recorded once, with Claude Code's hooks in its folder", run: countSessions },
  { claim: "leaves nothing running", run: closeAll },
  {
    claim: "is imported as it tells it itself, and goes on",
    run: (trial) => importSession(trial, ORDERS.answer, [FIRST, SECOND, THIRD]),
  },
];

const FIRST = wordFor("alpha");
const SECOND = wordFor("bravo");
const THIRD = wordFor("charlie");

/** Long enough for an agent that must wait for the next minute before it can come back. */
const PATIENCE_MS = 150_000;

async function streamAnswer(trial: Trial): Promise<string> {
  await trial.open();
  const answer = await trial.say(`Keep ${FIRST} in mind.\n${ORDERS.answer}`);
  assertCompleted(answer);
  assert.ok(answer.pieces > 1, `the answer came in ${answer.pieces} piece: ${answer.text}`);
  assertKnows(answer, FIRST);
  const { way, told } = await trial.opening();
  assert.equal(way, "new");
  return told;
}

async function allowCommand(trial: Trial): Promise<string> {
  const before = await trial.seq();
  const other = trial.start("approve-next.ts");
  const failed = once(other, "exit").then(([code]) => {
    if (code !== 0) throw new Error("the other process could not answer");
  });
  const answered = trial.say(ORDERS.run("echo allowed > allowed.txt"));
  const [answer] = await Promise.all([answered, failed]);
  assertCompleted(answer);
  assert.equal(readFileSync(join(trial.place.work, "allowed.txt"), "utf8"), "allowed\n");
  const events = await trial.log(before);
  assert.deepEqual(valuesOf(events, "approval.decided", "decision"), ["approved"]);
  assert.deepEqual(valuesOf(events, "action.completed", "status"), ["completed"]);
  const asked = events.find(({ type }) => type === "approval.requested");
  return `asked: ${String(asked?.data.title)}`;
}

/** Kills while a person is being asked. The agent's other processes survive, and may have had time to clean up. */
async function killAgent(trial: Trial): Promise<string> {
  const { seen, events } = await cutOff(trial, {
    prompt: `Keep ${SECOND} in mind too.\n${ORDERS.run("echo forbidden > forbidden.txt")}`,
    isTime: async () => (await trial.belay.call("list_approvals", {})).approvals.length > 0,
    victims: () => agentPids(trial),
  });
  assert.equal(valuesOf(events, "approval.expired", "reason").length, 1);
  assert.deepEqual(valuesOf(events, "action.completed", "status"), ["interrupted"]);
  assert.deepEqual((await trial.belay.call("list_approvals", {})).approvals, []);
  return seen;
}

/** Like a power cut at the moment the model is asked: nothing can be saved any more. */
async function killTree(trial: Trial): Promise<string> {
  const { asked } = trial.model;
  const { seen } = await cutOff(trial, {
    prompt: `Keep ${THIRD} in mind too.\n${ORDERS.answerSlowly}`,
    isTime: async () => asked.some(({ everything }) => everything.includes(THIRD)),
    victims: async () => processesOf(trial.place),
  });
  return seen;
}

/** A separate process drives the session; kills it with some of its agent's processes, and starts the next driver. */
async function cutOff(
  trial: Trial,
  { prompt, isTime, victims }: Cut,
): Promise<{ readonly seen: string; readonly events: readonly LogEvent[] }> {
  // The log is read with a handle that drives nothing.
  await trial.open();
  const before = await trial.seq();
  const driver = trial.start("drive-session.ts", trial.id, prompt);
  await until("the moment to kill", PATIENCE_MS, async () => {
    if (driver.exitCode !== null) throw new Error("the driver ended by itself");
    return (await isTime()) ? true : null;
  });
  const { told } = await trial.opening();
  const running = processesOf(trial.place).length;
  for (const pid of [driver.pid ?? 0, ...(await victims())]) if (pid > 0) kill(pid);
  await until("the driver's end", 5000, () => (driver.signalCode === null ? null : true));
  const left = processesOf(trial.place).length;
  await startNextDriver(trial);
  assert.deepEqual(processesOf(trial.place), []);
  const events = await trial.log(before);
  assert.deepEqual(valuesOf(events, "turn.ended", "outcome"), ["interrupted"]);
  assert.deepEqual(valuesOf(events, "agent.stopped", "reason"), [DIED]);
  const seen = `${told}; of ${running} processes ${left} survived the kill, and none the next driver`;
  return { seen, events };
}

interface Cut {
  readonly prompt: string;
  isTime(): Promise<boolean>;
  victims(): Promise<readonly number[]>;
}

async function goOn(trial: Trial): Promise<string> {
  const { turns } = await trial.belay.call("turns", { id: trial.id });
  const prompts = turns.map(({ input }) => input).join("\n");
  const before = trial.model.asked.length;
  const answer = await trial.say(ORDERS.answer);
  assertCompleted(answer);
  assertKnows(answer, ...[FIRST, SECOND, THIRD].filter((word) => prompts.includes(word)));
  assert.ok(!existsSync(join(trial.place.work, "forbidden.txt")), "the command ran unasked");
  const { told } = await trial.opening();
  const reminded = wasReminded(trial, before);
  return `${told}; ${reminded ? "Belay had to tell it of the cut prompt" : "it knew the cut prompt"}`;
}

async function reapIdle(trial: Trial): Promise<string> {
  await trial.open({ idle: 1500, reap_every: 200 });
  assertCompleted(await trial.say(ORDERS.answer));
  const first = await trial.opening();
  await until("the end of the idle agent", 20_000, async () => {
    const stops = valuesOf(await trial.log(first.seq), "agent.stopped", "reason");
    return stops.includes("idle") && processesOf(trial.place).length === 0 ? true : null;
  });
  const answer = await trial.say(ORDERS.answer);
  assertCompleted(answer);
  assertKnows(answer, FIRST, SECOND, THIRD);
  const again = await trial.opening();
  assert.ok(again.seq > first.seq, "the agent had not been started again");
  assert.ok(["resume", "load"].includes(again.way), `it came back by ${again.way}`);
  return again.told;
}

async function interruptAnswer(trial: Trial): Promise<string> {
  await trial.open();
  let heard = 0;
  let asked = 0;
  const cut = await trial.say(ORDERS.answerSlowly, async ({ type }) => {
    if (type !== "message" || ++heard !== 3) return;
    asked = performance.now();
    await trial.belay.call("interrupt", { id: trial.id });
  });
  const took = performance.now() - asked;
  assert.equal(cut.outcome, "cancelled");
  const { seq } = await trial.opening();
  const answer = await trial.say(ORDERS.answer);
  assertCompleted(answer);
  assertKnows(answer, FIRST, SECOND, THIRD);
  assert.equal((await trial.opening()).seq, seq, "the agent had to be started again");
  return `stopped after ${(took / 1000).toFixed(1)} s and ${cut.pieces} pieces`;
}

/** The agent may report it, report something else, or retry until the limit ends it. */
async function failModel(trial: Trial): Promise<string> {
  const before = await trial.seq();
  const begun = performance.now();
  await trial.close();
  const [code] = await once(trial.startBelay("send", trial.id, ORDERS.fail), "exit");
  const took = ((performance.now() - begun) / 1000).toFixed(0);
  await trial.open();
  const events = await trial.log(before);
  assert.deepEqual(valuesOf(events, "turn.ended", "outcome"), ["failed"]);
  assert.ok(code > 0, `belay send ended with ${code}`);
  assert.deepEqual(processesOf(trial.place), []);
  assertCompleted(await trial.say(ORDERS.answer));
  const [error] = valuesOf(events, "turn.ended", "error");
  return `exit code ${code} after ${took} s: ${error}`.slice(0, 200);
}

async function hangUp(
  trial: Trial,
  start: "startBelay" | "startAtTerminal",
  cut: (driver: ChildProcess) => unknown,
): Promise<string> {
  await trial.open();
  const before = await trial.seq();
  await trial.close();
  const driver = trial[start]("send", trial.id, ORDERS.answerSlowly);
  await trial.open();
  await until("the turn", PATIENCE_MS, async () => {
    const events = await trial.log(before);
    return events.some(({ type }) => type === "turn.part") ? true : null;
  });
  cut(driver);
  await until("that nobody drives it", 20_000, async () => {
    const { status, driver: by } = await trial.belay.call("get", { id: trial.id });
    return status === "suspended" && by === null ? true : null;
  });
  assert.deepEqual(processesOf(trial.place), []);
  await startNextDriver(trial);
  const answer = await trial.say(ORDERS.answer);
  assertCompleted(answer);
  assertKnows(answer, FIRST, SECOND, THIRD);
  return (await trial.opening()).told;
}

async function countSessions(trial: Trial): Promise<string> {
  const ran = existsSync(trial.hookWitness);
  assert.equal(ran, trial.agent === "claude", "whether the agent runs Claude Code's hooks");
  const { sessions } = await trial.belay.call("list", {});
  assert.deepEqual(
    sessions.map(({ session_id }) => session_id),
    [trial.id],
  );
  return ran ? "one session, and the hooks ran" : "one session; it runs no such hooks";
}

async function closeAll(trial: Trial): Promise<string> {
  const running = processesOf(trial.place).length;
  assert.ok(running > 0, "the agent does not run any more");
  const begun = performance.now();
  await trial.close();
  assert.deepEqual(processesOf(trial.place), []);
  const seconds = (performance.now() - begun) / 1000;
  return `${running} processes ended in ${seconds.toFixed(1)} s`;
}

/** Starts the next driver before anything new is sent. */
async function startNextDriver(trial: Trial): Promise<void> {
  const conversation = await trial.belay.converse({ id: trial.id });
  await conversation.resume();
  conversation.close();
}

async function agentPids(trial: Trial): Promise<number[]> {
  const started = (await trial.log()).findLast(({ type }) => type === "agent.started");
  return [numberOf(fieldsOf(started?.data.process).pid) ?? 0];
}

/** True if a user's word is in Belay's notes, where other texts are quoted. */
function wasReminded({ model }: Trial, before: number): boolean {
  const quoted = new RegExp(`^> .*${wordFor("")}`, "m");
  return model.asked
    .slice(before)
    .flatMap(({ items }) => items)
    .some((item) => item.kind === "user" && quoted.test(item.text));
}

function valuesOf(events: readonly LogEvent[], type: string, field: string): unknown[] {
  return events.filter((event) => event.type === type).map(({ data }) => data[field]);
}

function assertCompleted({ outcome, text }: Answer): void {
  assert.equal(outcome, "completed", `the turn: ${outcome}; so far: ${text}`);
}

function assertKnows({ text }: Answer, ...words: readonly string[]): void {
  for (const word of words) assert.ok(text.includes(word), `${word} is not in: ${text}`);
}
