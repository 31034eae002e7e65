import { describe, expect, it } from "vitest";
import { acpStarter } from "../../src/agent/acp/acp-connection.ts";
import { composeCatalog } from "../../src/compose-agents.ts";
import { createContext } from "../../src/compose-context.ts";
import { createService } from "../../src/compose-service.ts";
import type { RunEvent } from "../../src/contract/run-event.ts";
import { createAgentRunner } from "../../src/drive/run/agent-runner.ts";
import { beginSession } from "../../src/drive/run/begin-session.ts";
import { RUN_LIMITS } from "../../src/drive/run/run-context.ts";
import { isAlive } from "../../src/process/process-identity.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { afterEachTest } from "../clean-up.ts";
import { openLab, processesMarked, until } from "./run-lab.ts";

const closing: (() => Promise<void>)[] = [];
afterEachTest(async () => {
  for (const close of closing.splice(0)) await close();
});

/** One process with this many slots, which runs agents for several people. */
async function openProcess(slots: number) {
  const { home, cwd } = await openLab();
  const store = await openSqliteStore({ folder: home, isAlive });
  const runner = createAgentRunner(createContext(store), {
    starter: acpStarter,
    catalog: composeCatalog(home),
    limits: { ...RUN_LIMITS, max_agents: slots },
    driver: "queue",
  });
  const service = createService(runner.context);
  closing.push(async () => {
    await runner.close();
    await store.close();
  });
  const by = (owner: string) =>
    ({ owner, actor: owner, interface: "library", trace_id: null }) as const;
  const project = { cwd, repo: null, branch: null };
  const names = new Map<string, string>();
  const started: string[] = [];
  const open = new AbortController();
  closing.unshift(async () => open.abort());

  /** Starts a session with a message, and notes when its turns start. */
  const start = async (owner: string, name: string, message: string) => {
    const parts = { service, expectAgent: runner.expectAgent };
    const fields = { agent_name: "agent", project };
    const { session, sent } = await beginSession(parts, fields, message, by(owner));
    const { session_id: id, entity_id } = session;
    names.set(id, name);
    const events: RunEvent[] = [];
    const follow = async (): Promise<void> => {
      for await (const event of runner.followTurn(by(owner), sent, open.signal)) {
        events.push(event);
        if (event.type === "started") started.push(name);
      }
    };
    const done = follow();
    done.catch(() => {});
    return { id, entity_id, owner, sent, events, done };
  };
  type Started = Awaited<ReturnType<typeof start>>;
  const get = ({ id, owner }: Started) => service.call("get", { id }, by(owner));
  const question = (session: Started) =>
    until("a question", async () => {
      const { approvals } = await service.call("list_approvals", {}, by(session.owner));
      return approvals.find(({ session_id }) => session_id === session.id);
    });
  const answer = async (session: Started) => {
    const { approval_id } = await question(session);
    const decided = { approval_id, decision: "approved" };
    await service.call("decide_approval", decided, by(session.owner));
  };
  const count = async (owner: string) =>
    (await service.call("list", {}, by(owner))).sessions.length;
  return { service, runner, by, start, started, get, question, answer, count };
}

const positionsIn = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === "waiting" ? event.position : []));

describe("agents that wait for a person", () => {
  it("leave the slots to others, and continue at once when they are answered", async () => {
    const { start, question, answer, get } = await openProcess(1);
    const asking = await start("ann", "asking", "/ask May I?\n/slow 300");
    await question(asking);
    const working = await start("ann", "working", "/say hello\n/slow 1500");
    expect(working.sent.queue_position).toBeUndefined();
    await until("its turn", () => working.events.some(({ type }) => type === "message"));
    await answer(asking);
    await asking.done;
    expect(asking.events.at(-1)).toMatchObject({ type: "completed", outcome: "completed" });
    expect((await get(working)).activity).toBe("working");
    await working.done;
  });

  it("are bounded: what never starts without an answer is refused, and leaves no session", async () => {
    const { start, question, answer, count, service, by } = await openProcess(1);
    const asking = [
      await start("ann", "one", "/ask May I?"),
      await start("ann", "two", "/ask May I?"),
    ];
    for (const each of asking) await question(each);
    const before = await count("ann");
    await expect(start("ann", "three", "/say no")).rejects.toMatchObject({
      code: "agents_busy",
      message: expect.stringContaining("Answer their questions, or suspend one"),
    });
    expect(await count("ann")).toBe(before);
    const { session_id: id } = await service.call("create", { agent_name: "agent" }, by("ann"));
    await expect(
      service.call("send_message", { id, message: "/say no" }, by("ann")),
    ).rejects.toMatchObject({ code: "agents_busy" });
    expect((await service.call("get", { id }, by("ann"))).queued_messages).toBe(0);
    // Another person is not locked out.
    const other = await start("bob", "other", "/say hello");
    await other.done;
    expect(other.events.at(-1)).toMatchObject({ outcome: "completed" });
    for (const each of asking) await answer(each);
    await (await start("ann", "again", "/say yes")).done;
  });
});

describe("more messages than agents may work on", () => {
  it("wait in line with a position, and start when an agent is free", async () => {
    const { start, get, started } = await openProcess(2);
    const working = [
      await start("ann", "one", "/slow 1500"),
      await start("ann", "two", "/slow 60000"),
    ];
    const third = await start("ann", "three", "/say third\n/slow 300");
    const fourth = await start("ann", "four", "/say fourth");
    expect([third, fourth].map(({ sent }) => sent.queue_position)).toEqual([1, 2]);
    expect(await get(third)).toMatchObject({ queue_position: 1, queued_messages: 1, driver: null });
    expect(await get(fourth)).toMatchObject({ queue_position: 2 });
    expect(processesMarked(third.entity_id)).toEqual([]);
    await Promise.all([third.done, fourth.done]);
    expect(started).toEqual(["one", "two", "three", "four"]);
    expect(positionsIn(third.events)).toEqual([1]);
    expect(positionsIn(fourth.events)).toEqual([2, 1]);
    expect(await get(third)).toMatchObject({ queue_position: null, queued_messages: 0 });
    expect(working[1]?.events.some(({ type }) => type === "completed")).toBe(false);
  });

  it("start in turn for each person, and no session keeps its slot for all of its messages", async () => {
    const { start, started, service, by } = await openProcess(1);
    const first = await start("ann", "a1", "/slow 500");
    const more = { id: first.id, message: "/say more" };
    await service.call("send_message", more, by("ann"));
    const rest = [
      await start("ann", "a2", "/say a2"),
      await start("ann", "a3", "/say a3"),
      await start("bob", "b1", "/say b1"),
      await start("bob", "b2", "/say b2"),
    ];
    expect(rest.map(({ sent }) => sent.queue_position)).toEqual([1, 2, 1, 3]);
    await Promise.all(rest.map(({ done }) => done));
    expect(started).toEqual(["a1", "b1", "a2", "b2", "a3"]);
    await until("the second answer", async () => {
      const { turns } = await service.call("turns", { id: first.id }, by("ann"));
      return turns.length === 2 && turns.every(({ status }) => status === "completed");
    });
  });

  it("do not wait for all agents of a person who has answered many questions", async () => {
    const { start, question, answer, started } = await openProcess(1);
    const asking = [
      await start("ann", "a1", "/ask May I?\n/slow 60000"),
      await start("ann", "a2", "/ask May I?\n/slow 60000"),
    ];
    for (const each of asking) await question(each);
    const holder = await start("bob", "b1", "/slow 1000");
    for (const each of asking) await answer(each);
    const other = await start("cat", "c1", "/say hello");
    expect(other.sent.queue_position).toBeDefined();
    await other.done;
    expect(holder.events.at(-1)).toMatchObject({ type: "completed" });
    expect(started).toEqual(["a1", "a2", "b1", "c1"]);
  });

  it("are withdrawn by an interrupt, or with their session", async () => {
    const { start, service, by, get, started } = await openProcess(1);
    await start("ann", "one", "/slow 60000");
    const interrupted = await start("ann", "two", "/say no");
    const cancelled = await start("ann", "three", "/say no");
    const deleted = await start("ann", "four", "/say no");
    const last = await start("ann", "five", "/say no");
    await service.call("interrupt", { id: interrupted.id }, by("ann"));
    await interrupted.done;
    expect(interrupted.events.at(-1)).toMatchObject({ type: "completed", outcome: "cancelled" });
    expect(await get(interrupted)).toMatchObject({ status: "active", queued_messages: 0 });
    await service.call("cancel", { id: cancelled.id }, by("ann"));
    await cancelled.done;
    await service.call("delete", { id: deleted.id }, by("ann"));
    await until("its position", async () => (await get(last)).queue_position === 1);
    expect(positionsIn(last.events).at(-1)).toBe(1);
    expect(started).toEqual(["one"]);
  });

  it("a loop that is left withdraws its message", async () => {
    const { start, runner, by, service } = await openProcess(1);
    await start("ann", "one", "/slow 60000");
    const run = runner.run(by("ann"), { agent: "agent", message: "/say no" });
    for await (const event of run) if (event.type === "waiting") break;
    const { sessions } = await service.call("list", {}, by("ann"));
    const [left] = sessions.filter(({ title }) => title === "/say no");
    expect(left).toMatchObject({ queued_messages: 0, queue_position: null });
  });
});
