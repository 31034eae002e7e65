import { describe, expect, it } from "vitest";
import { identifyProcess, isAlive } from "../../src/process/process-identity.ts";
import { acquireLease, releaseLease } from "../../src/store/leases.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import {
  answers,
  begin,
  find,
  logOf,
  openLab,
  openQuestion,
  processesMarked,
  processesOf,
  promptsKept,
  reopenLab,
  said,
  talk,
  until,
} from "./run-lab.ts";
import { runWorker } from "./run-worker.ts";

describe("a session that another handle drives", () => {
  it("sends a message through its driver, and the other handle gets the answer", async () => {
    const first = await openLab();
    const second = await reopenLab(first.home);
    const { id, done } = await begin(first, "/slow 300\n/say one");
    expect((await second.belay.sessions.get({ id })).driver).toBe(`library (pid ${process.pid})`);
    const { events } = await talk(second, "/say two\n/run echo hi", { id });
    expect(said(events)).toContain("two");
    expect(find(events, "tool_call").map(({ status }) => status)).toEqual(["started", "completed"]);
    expect(events.at(-1)).toMatchObject({ type: "completed", outcome: "completed" });
    expect(said((await done).events)).toBe("one");
    const started = (await logOf(first, id)).filter(({ type }) => type === "agent.started");
    expect(started).toHaveLength(1);
    expect(await processesOf(first, id)).toHaveLength(1);
  });

  it("is taken over by the other handle as soon as the first is closed", async () => {
    const first = await openLab();
    const second = await reopenLab(first.home);
    const { id, done } = await begin(first, "/slow 20000");
    const queued = talk(second, "/say two", { id });
    await until(
      "the message",
      async () => (await second.belay.sessions.get({ id })).queued_messages === 1,
    );
    await first.belay.close();
    const { events } = await queued;
    expect(said(events).split("\n")[0]).toBe("two");
    await done.catch(() => undefined);
    const { turns } = await second.belay.turns.list({ id });
    expect(turns.map(({ status }) => status)).toEqual(["interrupted", "completed"]);
  });

  it("has one driver, however many try at once", async () => {
    const labs = [await openLab()];
    const home = labs[0]?.home ?? "";
    for (let nth = 0; nth < 3; nth += 1) labs.push(await reopenLab(home));
    const [lab] = labs;
    if (!lab) throw new Error("there is one");
    const { session_id: id } = await lab.belay.sessions.create({
      agent_name: "agent",
      project: { cwd: lab.cwd, repo: null, branch: null },
    });
    const words = ["a", "b", "c", "d"];
    const talks = await Promise.all(
      labs.map((one, nth) => talk(one, `/say ${words[nth]}`, { id })),
    );
    expect(talks.map(({ events }) => said(events))).toEqual(words);
    const log = await logOf(lab, id);
    expect(log.filter(({ type }) => type === "agent.started")).toHaveLength(1);
    expect(log.filter(({ type }) => type === "turn.ended")).toHaveLength(4);
  });

  it("is not interrupted by a handle that only queued a message and closed", async () => {
    const first = await openLab();
    const second = await reopenLab(first.home);
    const { id, done } = await begin(first, "/slow 400\n/say one");
    for await (const event of second.belay.run({ id, message: "/say two" })) {
      if (event.type === "queued") break;
    }
    expect((await done).events.at(-1)).toMatchObject({ outcome: "completed" });
  });

  it("is interrupted by a handle that closes during its own turn", async () => {
    const lab = await openLab();
    let id = "";
    for await (const event of lab.belay.run({
      agent: "agent",
      cwd: lab.cwd,
      message: "/slow 20000",
    })) {
      id = event.session_id;
      if (event.type === "agent") break;
    }
    await until("the end", async () => {
      const { turns } = await lab.belay.turns.list({ id });
      return turns[0]?.status === "cancelled";
    });
    await answers(lab, id);
  });
});

describe("a driver whose lease was taken from it", () => {
  it("ends its agent and writes nothing more; the next driver settles its open work", async () => {
    const lab = await openLab();
    const { id, done } = await begin(lab, "/run sleep 20", { decide: "nobody" });
    await openQuestion(lab, id);
    const { entity_id } = await lab.belay.sessions.get({ id });
    const store = await openSqliteStore({ folder: lab.home, isAlive });
    const holder = { name: "someone else", ...identifyProcess(process.pid) };
    const grant = await acquireLease(store, entity_id, holder, true);
    if (!grant.granted) throw new Error("it was taken by force");
    const { version } = await lab.belay.sessions.get({ id });
    // Any change tells the former driver that it lost the session.
    await lab.belay.sessions.rename({ id, title: "taken" });
    await until("its end", () => processesMarked(entity_id).length === 0);
    expect(await lab.belay.sessions.get({ id })).toMatchObject({
      driver: "someone else",
      version: version + 1,
    });
    await releaseLease(store, entity_id, grant.epoch);
    await store.close();
    const { events } = await done;
    expect(find(events, "answered")).toMatchObject([{ decision: "expired" }]);
    expect(events.at(-1)).toMatchObject({ type: "completed", outcome: "interrupted" });
    await answers(lab, id);
  });
});

describe("another process", () => {
  it("drives a session, while this one sends, answers and listens", async () => {
    const lab = await openLab();
    const worker = runWorker(lab.home, "/ask May I?\n/say one", "", lab.cwd);
    const id = String((await worker.hear("started")).session_id);
    await worker.hear("permission");
    const session = await lab.belay.sessions.get({ id });
    expect(session.driver).toMatch(/^library \(pid \d+\)$/);
    expect(session.driver).not.toContain(`pid ${process.pid})`);
    const queued = talk(lab, "/say two", { id, decide: "nobody" });
    await until("the message", async () => (await lab.belay.sessions.get({ id })).queued_messages);
    const { approval_id } = await openQuestion(lab, id);
    await lab.belay.approvals.decide({ approval_id, decision: "approved" });
    expect(said((await queued).events)).toBe("two");
    expect((await lab.belay.sessions.get({ id })).driver).toBe(session.driver);
    expect(await worker.leave()).toBe(0);
    expect(worker.heard.at(-1)).toMatchObject({ type: "completed" });
  });

  it("leaves its messages to the next driver if it is killed, each answered once", async () => {
    const lab = await openLab();
    const worker = runWorker(lab.home, "/say one\n/slow 60000", "", lab.cwd);
    const id = String((await worker.hear("message")).session_id);
    for (const word of ["two", "three"]) {
      await lab.belay.turns.send({ id, message: `/say ${word}` });
    }
    await worker.kill();
    expect(await lab.belay.sessions.get({ id })).toMatchObject({
      driver: null,
      queued_messages: 2,
    });
    const { events } = await talk(lab, "/say four", { id });
    expect(said(events)).toBe("four");
    const { turns } = await lab.belay.turns.list({ id });
    expect(turns.map(({ status, output }) => [status, output.split("\n")[0]])).toEqual([
      ["interrupted", ""],
      ["completed", "two"],
      ["completed", "three"],
      ["completed", "four"],
    ]);
    const prompts = promptsKept(lab);
    for (const word of ["two", "three", "four"]) {
      expect(prompts.filter((text) => text.endsWith(`/say ${word}`))).toHaveLength(1);
    }
    expect(await processesOf(lab, id)).toHaveLength(1);
  });

  it("leaves a shell and a question if it is killed, and both are settled", async () => {
    const lab = await openLab();
    const worker = runWorker(lab.home, "/run sleep 60", "", lab.cwd);
    const id = String((await worker.hear("started")).session_id);
    const { approval_id } = await openQuestion(lab, id);
    await lab.belay.approvals.decide({ approval_id, decision: "approved" });
    const entity = (await lab.belay.sessions.get({ id })).entity_id;
    await until("the shell", async () => (await processesOf(lab, id)).length > 1);
    await worker.kill();
    await expect(talk(lab, "/say on", { id })).rejects.toMatchObject({ code: "recovery_pending" });
    expect(await lab.belay.sessions.get({ id })).toMatchObject({
      status: "suspended",
      open_actions: 0,
    });
    expect(await processesOf(lab, entity)).toEqual([]);
    const question = await openQuestion(lab, id);
    expect(question).toMatchObject({ kind: "recovery" });
    await lab.belay.recovery.answer({ approval_id: question.approval_id, answer: "continue" });
    await answers(lab, id);
  });
});
