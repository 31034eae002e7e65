import { expect, it } from "vitest";
import { composeAgents } from "../../src/compose-agents.ts";
import { type Chore, startChores } from "../../src/server/chores/chores.ts";
import { serverChores } from "../../src/server/chores/server-chores.ts";
import { changeSession } from "../../src/service/change-session.ts";
import { afterEachTest } from "../clean-up.ts";
import { until } from "../run/run-parts.ts";
import { type ChoresLab, caller, openChoresLab } from "./chores-lab.ts";

const closing: (() => Promise<void>)[] = [];
afterEachTest(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

it("the queue logs a session that cannot be driven once per reason", async () => {
  const lab = await openChoresLab();
  await lab.call("add_person", { name: "bob", role: "admin" });
  for (const id of ["first", "second"]) await leaveMessage(lab, id, "bob");
  lab.wait(60_000);
  await lab.call("disable_person", { name: "bob" });
  const log = startQueue(lab);
  await log.runs(4);
  expect(log.linesAbout("first")).toEqual(["bob is disabled"]);
  expect(log.linesAbout("second")).toEqual(["bob is disabled"]);
  // Another reason is logged again, once.
  await lab.call("add_person", { name: "bob", role: "member" });
  await log.runs(4);
  expect(log.linesAbout("first")).toEqual(["bob is disabled", "bob is a member"]);
  // After the problem was gone, it is logged again.
  await lab.call("suspend", { id: "first" }, "bob");
  await log.runs(2);
  await lab.call("resume", { id: "first" }, "bob");
  lab.wait(60_000);
  await log.runs(4);
  expect(log.linesAbout("first")).toEqual(["bob is disabled", ...Array(2).fill("bob is a member")]);
  expect(log.linesAbout("second")).toEqual(["bob is disabled", "bob is a member"]);
});

it("the queue names at most 20 sessions in one line of the log", async () => {
  const lab = await openChoresLab();
  await lab.call("add_person", { name: "bob" });
  for (let n = 0; n < 25; n += 1) await leaveMessage(lab, `of-bob-${n}`, "bob");
  lab.wait(60_000);
  const { notes = [], counts } = await queueOf(lab).run(new AbortController().signal);
  expect(counts).toEqual({ taken_up: 0, refused: 25 });
  expect(notes).toHaveLength(21);
  expect(notes.at(-1)).toBe("and 5 more");
});

/** An active session with a message that no process works on. */
async function leaveMessage({ call, context }: ChoresLab, id: string, owner: string) {
  await call("create", { agent_name: "a", session_id: id }, owner);
  const message = { type: "send_message", turn_id: `turn-${id}`, content: "hello" } as const;
  await changeSession(context, caller(owner), {
    id,
    commands: () => [{ ...message, interface: "api" }],
  });
}

function queueOf({ home, context, uptime }: ChoresLab): Chore {
  const runner = composeAgents(home, context, "api");
  closing.push(() => runner.close());
  const chores = serverChores({ context: runner.context, runner, owner: "local", uptime });
  const queue = chores.find(({ name }) => name === "queue");
  if (!queue) throw new Error("there is no queue");
  return queue;
}

/** Runs the chore all the time, and reads the log of the server. */
function startQueue(lab: ChoresLab) {
  const lines: string[] = [];
  let ran = 0;
  const write = (fields: object, text: string): void =>
    void lines.push(`${JSON.stringify(fields)} ${"err" in fields ? fields.err : ""} ${text}`);
  const log = { debug: () => {}, info: write, error: write };
  const observe = (): void => {
    ran += 1;
  };
  const { stop } = startChores([{ ...queueOf(lab), every_ms: 5 }], { log, observe });
  closing.push(stop);
  return {
    runs: async (more: number) => {
      const wanted = ran + more;
      await until("the chore to run", () => ran >= wanted);
    },
    linesAbout: (id: string): string[] =>
      lines.flatMap(
        (line) => line.match(new RegExp(`(?<=bob/${id}: )bob is (a )?\\w+`, "g")) ?? [],
      ),
  };
}
