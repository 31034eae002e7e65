import { describe, expect, it, vi } from "vitest";
import { RUN_LIMITS, readRunLimits } from "../../src/drive/run/run-context.ts";
import {
  answers,
  begin,
  factsOf,
  find,
  openLab,
  openLimited,
  openQuestion,
  processesOf,
  talk,
  until,
} from "./run-lab.ts";

const quick = { idle: 300, reap_every: 50 };

describe("an idle agent", () => {
  it("is ended after a while, and its session continues with the next message", async () => {
    const { home } = await openLab();
    const lab = await openLimited(home, quick);
    const { id } = await talk(lab, "/say one");
    expect((await lab.belay.sessions.get({ id })).driver).toBe("limited");
    await until("its end", async () => (await lab.belay.sessions.get({ id })).driver === null);
    expect(await processesOf(lab, id)).toEqual([]);
    expect(await factsOf(lab, id, "agent.stopped")).toEqual([{ reason: "idle" }]);
    expect(await lab.belay.sessions.get({ id })).toMatchObject({ status: "active" });
    const { events } = await answers(lab, id);
    expect(find(events, "agent")).toMatchObject([{ state: "started", how: "resume" }]);
  });

  it("is kept while a turn, a question or background work is open", async () => {
    const { home } = await openLab();
    const lab = await openLimited(home, quick);
    const slow = await begin(lab, "/slow 1000\n/say one");
    const asking = await begin(lab, "/ask May I?", { decide: "nobody" });
    const background = await talk(lab, "/background 1200");
    const { approval_id } = await openQuestion(lab, asking.id);
    expect((await slow.done).events.at(-1)).toMatchObject({ outcome: "completed" });
    expect(await processesOf(lab, asking.id)).toHaveLength(1);
    expect(await processesOf(lab, background.id)).toHaveLength(1);
    await lab.belay.approvals.decide({ approval_id, decision: "approved" });
    expect((await asking.done).events.at(-1)).toMatchObject({ outcome: "completed" });
    await until(
      "the work",
      async () => (await lab.belay.sessions.get({ id: background.id })).open_actions === 0,
    );
    expect(await factsOf(lab, background.id, "action.completed")).toMatchObject([
      { status: "completed", details: { output: "Done, later." } },
    ]);
    for (const { id } of [slow, asking, background]) {
      await until("its end", async () => (await lab.belay.sessions.get({ id })).driver === null);
      expect(await factsOf(lab, id, "agent.stopped")).toEqual([{ reason: "idle" }]);
    }
  });

  it("is ended if its background work never reports again", async () => {
    const { home } = await openLab();
    const lab = await openLimited(home, { ...quick, background: 600 });
    const { id } = await talk(lab, "/forget");
    await until("its end", async () => (await lab.belay.sessions.get({ id })).driver === null);
    expect(await factsOf(lab, id, "action.completed")).toMatchObject([{ status: "interrupted" }]);
  });
});

describe("more agents than allowed", () => {
  it("the longest idle agent is ended", async () => {
    const { home } = await openLab();
    const lab = await openLimited(home, { max_agents: 2 });
    const first = await talk(lab, "/say first");
    const second = await talk(lab, "/say second");
    await answers(lab, first.id);
    const third = await talk(lab, "/say third");
    expect(await processesOf(lab, second.id)).toEqual([]);
    expect(await processesOf(lab, first.id)).toHaveLength(1);
    expect(await factsOf(lab, second.id, "agent.stopped")).toEqual([{ reason: "gave_way" }]);

    const busy = await Promise.all(
      [first, third].map(({ id }) => begin(lab, "/ask May I?", { id, decide: "nobody" })),
    );
    await Promise.all(busy.map(({ id }) => openQuestion(lab, id)));
    // Agents that wait for a person take no slot.
    await answers(lab, second.id);
    for (const { id } of busy) {
      const { approval_id } = await openQuestion(lab, id);
      await lab.belay.approvals.decide({ approval_id, decision: "approved" });
    }
    await Promise.all(busy.map(({ done }) => done));
  });
});

describe("more agents than allowed, all at once", () => {
  it("the allowed number runs, and the others wait for it", async () => {
    const { home } = await openLab();
    const lab = await openLimited(home, { max_agents: 2 });
    let working = 0;
    let most = 0;
    const talks = await Promise.all(
      ["a", "b", "c", "d"].map((word) =>
        talk(lab, `/say ${word}\n/slow 500`, {
          on({ type }) {
            if (type === "started") working += 1;
            if (type === "completed") working -= 1;
            most = Math.max(most, working);
          },
        }),
      ),
    );
    expect(talks.map(({ events }) => events.at(-1)?.type)).toEqual(Array(4).fill("completed"));
    expect(most).toBe(2);
  });
});

describe("an agent that is ended as often as possible", () => {
  it("answers every message exactly once", async () => {
    const { home } = await openLab();
    const lab = await openLimited(home, { idle: 0, reap_every: 5 });
    const { id } = await talk(lab, "/say begin");
    const words = Array.from({ length: 8 }, (_, nth) => `word${nth}`);
    for (const word of words.slice(0, 4)) await answers(lab, id, word);
    for (const word of words.slice(4)) {
      await lab.belay.turns.send({ id, message: `/say ${word}` });
    }
    await until("all answers", async () => {
      const { turns } = await lab.belay.turns.list({ id });
      return turns.length === 9 && turns.every(({ status }) => status === "completed");
    });
    const { turns } = await lab.belay.turns.list({ id });
    expect(turns.map(({ output }) => output)).toEqual(["begin", ...words]);
  });
});

describe("the limits from the environment", () => {
  it("are a number of minutes and a number of agents", () => {
    const read = readRunLimits({
      AGENT_SESSION_IDLE_TIMEOUT: "1.5",
      AGENT_MAX_CONCURRENT_SESSIONS: "3",
    });
    expect(read).toMatchObject({ idle: 90_000, max_agents: 3 });
    expect(
      readRunLimits({ AGENT_SESSION_IDLE_TIMEOUT: "", AGENT_MAX_CONCURRENT_SESSIONS: "" }),
    ).toEqual(RUN_LIMITS);
  });

  it("set how often idle agents are looked for", () => {
    const looked = (minutes: string) =>
      readRunLimits({ AGENT_SESSION_IDLE_TIMEOUT: minutes }).reap_every;
    expect(looked("1")).toBeLessThanOrEqual(15_000);
    expect(looked("0.01")).toBeLessThanOrEqual(1000);
    expect(looked("600")).toBe(RUN_LIMITS.reap_every);
  });

  it.each(["0", "-1", "many", "Infinity", "30m"])("refuse %j at the start", (value) => {
    for (const name of ["AGENT_SESSION_IDLE_TIMEOUT", "AGENT_MAX_CONCURRENT_SESSIONS"]) {
      expect(() => readRunLimits({ [name]: value })).toThrow(`${name} `);
      expect(() => readRunLimits({ [name]: value })).toThrow(`"${value}"`);
    }
  });

  it("apply to a handle that is opened with them", async () => {
    vi.stubEnv("AGENT_MAX_CONCURRENT_SESSIONS", "1");
    try {
      const lab = await openLab();
      const first = await talk(lab, "/say first");
      await talk(lab, "/say second");
      expect(await factsOf(lab, first.id, "agent.stopped")).toEqual([{ reason: "gave_way" }]);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it("never allow less than one agent", () => {
    expect(readRunLimits({ AGENT_MAX_CONCURRENT_SESSIONS: "0.5" }).max_agents).toBe(1);
  });
});
