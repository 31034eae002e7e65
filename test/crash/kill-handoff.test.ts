import { once } from "node:events";
import { chmodSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Belay } from "../../src/index.ts";
import { BelayError, openBelay } from "../../src/index.ts";
import { atOnce } from "./at-once.ts";
import { bundleWorker, CACHE } from "./bundle-worker.ts";
import { startWorker } from "./run-worker.ts";
import { sampleSize } from "./sample-size.ts";
import { say } from "./say.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const root = temporaryFolder();

it("a handoff during a turn is complete or absent, between whichever two steps its process dies", async () => {
  const prepared = await prepare();
  // Nothing dies: this is how many changes there are.
  const { changes } = await handOff(prepared, "handed-whole", -1);
  expect(changes).toBeGreaterThan(4);
  const count = sampleSize({ full: changes, sample: 4 });
  const points = Array.from({ length: count }, (_, n) => Math.floor((n * changes) / count));
  const tried = await atOnce(2, points, async (when) => {
    const name = `handed-at-${when}`;
    const { signal } = await handOff(prepared, name, when);
    return signal === "SIGKILL" ? judge(name, when) : null;
  });
  // An answer comes in one part or two, so that the last change may be missing in a run.
  const ends = tried.filter((end) => end !== null);
  expect(ends.length).toBeGreaterThan(points.length - 2);
  const handed = ends.filter((end) => end.handed).length;
  say(
    `killed after ${points.join(", ")} of ${changes} changes: ${handed} handed on, ${ends.length - handed} not`,
  );
  expect(ends.flatMap(({ problems }) => problems)).toEqual([]);
  expect(ends[0]?.handed).toBe(false);
  expect(handed).toBe(ends.length - 1);
});

async function prepare(): Promise<string> {
  const home = join(root, "prepared");
  mkdirSync(home, { mode: 0o700 });
  mkdirSync(join(home, "work"));
  const program = await bundleWorker("demo-agent");
  const agentIn = (name: string) => ({
    command: process.execPath,
    args: [program],
    env: { BELAY_DEMO_FOLDER: join(root, name), NODE_COMPILE_CACHE: CACHE },
  });
  const agents = { agent: agentIn("memory"), other: agentIn("other") };
  writeFileSync(join(home, "agents.json"), JSON.stringify({ agents }), { mode: 0o600 });
  await using belay = await openBelay({ home, owner: "local" });
  await belay.sessions.list();
  return home;
}

async function handOff(prepared: string, name: string, when: number) {
  cpSync(prepared, join(root, name), { recursive: true });
  const home = join(root, name);
  chmodSync(home, 0o700);
  // Recovery ends the processes of a session, so each copy needs its own session.
  const belay = await openBelay({ home, owner: "local" });
  const project = { cwd: join(home, "work"), repo: null, branch: null };
  await belay.sessions.create({ agent_name: "agent", session_id: name, project });
  await belay.close();
  const worker = await startWorker("handing-off", [home, name, String(when)]);
  let changes = 0;
  worker.on("message", (count) => {
    changes = Number(count);
  });
  const [, signal] = await once(worker, "exit");
  return { changes, signal };
}

/** What the next process finds, and what comes of it once it has worked on. */
async function judge(id: string, when: number) {
  await using belay = await openBelay({ home: join(root, id), owner: "local" });
  const { agent_name } = await belay.sessions.get({ id });
  const handed = agent_name === "other";
  if (!handed) {
    // Refused or done wholly: it can be handed on now.
    await letGoOn(belay, id);
    await belay.sessions.handoff({ id, to: "other" });
    await send(belay, id, "/say taken over");
  } else {
    await letGoOn(belay, id);
    await send(belay, id, "/say afterwards");
  }
  const { events } = await belay.sessions.log({ id, limit: 1000 });
  const { turns } = await belay.turns.list({ id });
  const handoffs = events.filter(({ type }) => type === "session.handed_off").length;
  const taken = turns.filter(({ input }) => input === "/say taken over");
  const problems = [
    ...(handoffs === 1 ? [] : [`${handoffs} handoffs`]),
    ...(taken.length === 1 ? [] : [`${taken.length} turns for one message`]),
    ...turns.filter(({ ended_at }) => ended_at === null).map(() => "an open turn"),
    ...(taken.every(({ agent_name: by }) => by === "other") ? [] : ["answered by the first agent"]),
    ...(turns[0]?.agent_name === "agent" ? [] : ["the first turn is not of the first agent"]),
  ].map((problem) => ({ when, problem, turns }));
  return { handed, problems };
}

/** After a crash with something under way whose outcome is unknown, Belay asks first. */
async function letGoOn(belay: Belay, id: string): Promise<void> {
  await belay.recovery.run({ id });
  const { approvals } = await belay.approvals.list({});
  for (const { approval_id, kind } of approvals) {
    if (kind === "recovery") await belay.recovery.answer({ approval_id, answer: "continue" });
  }
}

async function send(belay: Belay, id: string, message: string): Promise<void> {
  try {
    for await (const _ of belay.run({ id, message })) {
    }
  } catch (error) {
    if (!(error instanceof BelayError) || error.code !== "recovery_pending") throw error;
    await letGoOn(belay, id);
    await send(belay, id, message);
  }
}
