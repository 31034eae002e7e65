import { copyFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { query } from "../postgres/scene-databases.ts";
import { processesMarked, until } from "../run/run-parts.ts";
import { listOf, type RealServer, recordOf, runBelay, textOf } from "../serve/server-process.ts";
import { endReceivers, Receiver } from "../webhooks/receiver.ts";
import {
  type Acknowledged,
  judgeHistory,
  type LoggedEvent,
  readHistory,
} from "./campaign/judge-history.ts";
import { awaitEvent, driverOf, eventsOf, NodeLab, turnsOf } from "./node-lab.ts";
import { RedisServer } from "./redis-server.ts";

// Long enough for a busy machine.
const lab = await NodeLab.open(60);
const begun: string[] = [];
const acknowledged: Acknowledged[] = [];
afterEach(() => {
  // Only where a test has failed, or an agent still ends.
  for (const pid of begun.splice(0).flatMap(processesMarked)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  }
});
afterAll(async () => {
  await lab.close();
  await endReceivers();
  redis.remove();
});

const redis = await RedisServer.start();
const env = { BELAY_REDIS_URL: redis.url };
const nodes = await Promise.all([lab.start(0, env), lab.start(1, env)]);

type Session = Awaited<ReturnType<NodeLab["begin"]>>;

async function begin(server: RealServer, message: string): Promise<Session> {
  const session = await lab.begin(server, message);
  begun.push(session.entity_id);
  return session;
}

/** A message that a node acknowledges. */
async function send(server: RealServer, session: Session, content: string): Promise<void> {
  const { id, entity_id } = session;
  const body = { message: content, wait: false };
  const sent = await server.ask("POST", `/sessions/${id}/messages`, { body });
  expect(sent.status).toBe(202);
  acknowledged.push({ entity_id, turn_id: textOf(sent.json, "turn_id"), content });
}

/** The node that drives the session, and the other one. */
async function apart(entity_id: string): Promise<[RealServer, RealServer]> {
  const [a, b] = nodes;
  const pid = await until("a driver", () => driverOf(lab.url, entity_id));
  return pid === a.pid ? [a, b] : [b, a];
}

describe("two nodes on one database", () => {
  it("both serve; a second server on the same data folder is refused", async () => {
    const [a, b] = nodes;
    const { rows } = await query(lab.url, "SELECT id FROM belay.nodes");
    expect(rows).toHaveLength(2);
    for (const server of [a, b]) expect((await server.ask("GET", "/sessions")).status).toBe(200);
    await expect(lab.start(0)).rejects.toThrow("server_running");
    expect((await a.ask("GET", "/health")).json).toMatchObject({ status: "ok" });
    const both = 'belay_nodes{state="live"} 2';
    await until("both", async () => (await b.ask("GET", "/metrics")).text.includes(both));
  });

  it("are checked by the anchor of each of them", async () => {
    const [a, b] = nodes;
    const settings = { BELAY_DATABASE_URL: lab.url };
    const own = await runBelay(b.place, ["verify"], settings);
    expect(own).toMatchObject({ code: 0, stdout: expect.stringMatching(/unchecked .* of node /) });
    const [anchor = ""] = readdirSync(a.place.home).filter((name) => /^postgres-/.test(name));
    const file = join(a.place.home, anchor);
    const both = await runBelay(b.place, ["verify", "--anchor", file], settings);
    expect(both).toMatchObject({ code: 0, stdout: "No damage found.\n" });
  });

  it("share the work: a session without a driver goes to the node with most free slots", async () => {
    const [a, b] = nodes;
    const first = await begin(a, "/slow 60000");
    await awaitEvent(a, first.id, "agent.started");
    // Nodes tell each other of their free slots about once a second.
    await until("different free slots", async () => {
      const { rows } = await query(lab.url, "SELECT DISTINCT room FROM belay.nodes");
      return rows.length === 2;
    });
    const second = await begin(a, "/slow 60000");
    const drivers = await Promise.all(
      [first, second].map(({ entity_id }) => until("a driver", () => driverOf(lab.url, entity_id))),
    );
    expect(drivers.toSorted()).toEqual([a.pid, b.pid].toSorted());
    for (const { id } of [first, second]) {
      await b.ask("POST", `/sessions/${id}/cancel`, { body: {} });
    }
  });

  it("log in people and programs together: a login started at one node is finished at the other", async () => {
    const [a, b] = nodes;
    const open = async (server: RealServer, path: string, body: object, token?: string) => {
      const headers = {
        "content-type": "application/json",
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      };
      const request = { method: "POST", headers, body: JSON.stringify(body) };
      const response = await fetch(`${server.url}${path}`, request);
      return { status: response.status, json: recordOf(await response.json()) };
    };
    const link = await a.ask("POST", "/login/links", { body: {} });
    const code = textOf(link.json, "path").replace("/login#", "");
    const browser = await open(b, "/login", { code });
    expect(browser.status).toBe(200);
    expect((await open(a, "/login", { code })).status).toBe(401);

    const { json: device } = await open(a, "/login/device", {});
    const fetched = () => open(b, "/login/device/token", { device_code: device.device_code });
    expect((await fetched()).json).toEqual({ pending: true });
    const { user_code } = device;
    const token = textOf(browser.json, "token");
    const approved = await open(b, "/login/device/approve", { user_code }, token);
    expect(approved.json).toEqual({ approved: true });
    const polled = await Promise.all([fetched(), fetched(), fetched()]);
    expect(polled.map(({ status }) => status).toSorted()).toEqual([200, 401, 401]);
  });

  it("deliver each event to a webhook once", async () => {
    const [a, b] = nodes;
    const receiver = await Receiver.start();
    const body = { url: receiver.url, on: ["session.completed"], allow_private: true };
    expect((await a.ask("POST", "/webhooks", { body })).status).toBe(201);
    const secrets = "webhook-secrets.json";
    copyFileSync(join(a.place.home, secrets), join(b.place.home, secrets));
    const completed: string[] = [];
    for (const server of [a, b, a, b, a]) {
      const session = { agent_name: "outside" };
      const { json } = await server.ask("POST", "/sessions", { body: session });
      const id = textOf(json, "session_id");
      await server.ask("POST", `/sessions/${id}/complete`, { body: {} });
      completed.push(id);
    }
    // In order: what comes twice comes before the last.
    await until("the last", () =>
      receiver.acknowledged.some(({ session_id }) => session_id === completed.at(-1)),
    );
    expect(receiver.received.map(({ session_id }) => session_id)).toEqual(completed);
  });

  it("pass questions, answers and interrupts to each other", async () => {
    const [a] = nodes;
    const asked = await begin(a, "/ask edit\n/say done");
    const [driver, other] = await apart(asked.entity_id);
    await awaitEvent(other, asked.id, "approval.requested");
    const { json } = await other.ask("GET", "/approvals");
    const approval_id = recordOf(listOf(json, "approvals")[0]).approval_id;
    const body = { decision: "approved" };
    await other.ask("POST", `/approvals/${approval_id}`, { body });
    await awaitEvent(driver, asked.id, "turn.ended");

    await send(other, asked, "/slow 60000");
    await until("the turn", async () => {
      const events = await eventsOf(other, asked.id);
      return events.filter(({ type }) => type === "turn.started").length > 1;
    });
    const stopped = await other.ask("POST", `/sessions/${asked.id}/interrupt`, { body: {} });
    expect(stopped.status, stopped.text).toBe(200);
    await until("the end", async () => (await turnsOf(other, asked.id))[1]?.ended_at);
    expect(await turnsOf(driver, asked.id)).toMatchObject([
      { status: "completed" },
      { status: "cancelled" },
    ]);
    expect(await eventsOf(driver, asked.id)).toEqual(await eventsOf(other, asked.id));
  });
});

describe("Redis between two nodes", () => {
  it("carries live text; without it, nodes are slower and report it", async () => {
    const [a, b] = nodes;
    const { id, entity_id } = await begin(a, "/pace 20\n/chunks 100000 20");
    const [, other] = await apart(entity_id);
    const headers = { authorization: `Bearer ${other.token}`, accept: "text/event-stream" };
    const stop = new AbortController();
    const { signal } = stop;
    const { body } = await fetch(`${other.url}/sessions/${id}/events`, { headers, signal });
    let shown = "";
    const reading = async () => {
      for await (const bytes of body ?? []) shown += Buffer.from(bytes).toString();
    };
    const read = reading().catch(() => {});
    await until("live text", () => shown.includes("event: delta"));
    expect((await other.ask("GET", "/health")).json).toMatchObject({ status: "ok" });

    await redis.kill();
    const health = await until("a slower node", async () => {
      const answer = await other.ask("GET", "/health");
      return recordOf(answer.json).status === "degraded" && answer;
    });
    expect(health.status).toBe(200);
    expect(health.text).toContain("Redis");
    expect((await other.ask("GET", "/metrics")).text).toContain("belay_redis_up 0");
    const parts = shown.split("turn.part").length;
    await until("stored text", () => shown.split("turn.part").length > parts);
    const settings = { ...env, BELAY_DATABASE_URL: lab.url };
    const { stdout } = await runBelay(b.place, ["doctor"], settings);
    expect(stdout).toMatch(/redis\s+does not answer: /);

    await redis.start();
    const deltas = shown.split("event: delta").length;
    await until("live text again", () => shown.split("event: delta").length > deltas);
    stop.abort();
    await read;
    await b.ask("POST", `/sessions/${id}/cancel`, { body: {} });
  });
});

describe("a node that hangs until its registration has expired", () => {
  it("loses its session to the other node, and writes no more when it wakes up", async () => {
    const [a] = nodes;
    const { id, entity_id } = await begin(a, "/say begun\n/slow 60000");
    await awaitEvent(a, id, "turn.part");
    const [owner, heir] = await apart(entity_id);
    owner.program.signal("SIGSTOP");
    try {
      await lab.expire(owner);
      await until("the takeover", async () => (await turnsOf(heir, id))[1]?.ended_at);
    } finally {
      owner.program.signal("SIGCONT");
    }
    const taken = await eventsOf(heir, id);
    expect(taken.map(({ type }) => type)).toContain("session.recovered");
    expect(await turnsOf(heir, id)).toMatchObject([
      { status: "interrupted" },
      { status: "completed", input: "Continue the work that was interrupted." },
    ]);
    // It registers anew, and has nothing to add to what was its own.
    await until("a new registration", () =>
      owner.program.stderr.includes("was not renewed in time"),
    );
    await send(owner, { id, entity_id }, "/say still here");
    await until("the answer", async () => (await turnsOf(owner, id))[2]?.ended_at);
    const later = await eventsOf(owner, id);
    expect(later.slice(0, taken.length)).toEqual(taken);
    const stopped = later.filter(({ type }) => type === "agent.stopped");
    expect(stopped.map(({ data }) => recordOf(data).reason)).toEqual(["died"]);
  });
});

describe("a node that is shut down", () => {
  it("hands its sessions over: another node continues them at once, and none is suspended", async () => {
    const [a] = nodes;
    const sessions: (Session & { pid: number })[] = [];
    for (const name of ["one", "two", "three"]) {
      const session = await begin(a, `/say ${name}\n/slow 60000`);
      await awaitEvent(a, session.id, "turn.part");
      const pid = await until("a driver", () => driverOf(lab.url, session.entity_id));
      sessions.push({ ...session, pid });
    }
    // One of two nodes has two of three sessions.
    const owner = nodes.find(({ pid }) => sessions.filter((one) => one.pid === pid).length > 1);
    const heir = nodes.find((node) => node !== owner);
    if (!owner || !heir) throw new Error("no node drives two sessions");
    const [waiting, continued] = sessions.filter(({ pid }) => pid === owner.pid);
    if (!waiting || !continued) throw new Error("it drives them no more");
    await send(heir, waiting, "/say answered by the other");
    expect(await owner.end()).toBe(0);
    for (const { id } of [waiting, continued]) {
      const turns = () => turnsOf(heir, id);
      await until("the next turn", async () => (await turns())[1]?.ended_at);
      const types = (await eventsOf(heir, id)).map(({ type }) => type);
      expect(types).not.toContain("session.suspended");
      expect(types).not.toContain("session.recovered");
    }
    expect((await turnsOf(heir, waiting.id))[1]).toMatchObject({ status: "completed" });
    for (const { id } of sessions) await heir.ask("POST", `/sessions/${id}/cancel`, { body: {} });
    const nth = nodes.indexOf(owner);
    nodes[nth] = await lab.start(nth, env);
  });
});

describe("a node that is killed", () => {
  it("is replaced by the other, which settles its turn and answers its messages", async () => {
    const [a] = nodes;
    const { id, entity_id } = await begin(a, "/say begun\n/slow 60000");
    await awaitEvent(a, id, "turn.part");
    const [owner, heir] = await apart(entity_id);
    await send(heir, { id, entity_id }, "/say answered after all");
    await owner.end("SIGKILL");
    await until("the end of the agent", () => processesMarked(entity_id).length === 0);
    await until("all turns", async () => {
      const turns = await turnsOf(heir, id);
      return turns.length === 2 && turns.every(({ ended_at }) => ended_at);
    });
    expect((await turnsOf(heir, id)).map(({ status }) => status)).toEqual([
      "interrupted",
      "completed",
    ]);
    // Its agent has its files on the node that is gone, and is told of the past.
    const note = (await eventsOf(heir, id)).find(
      ({ type, data }) => type === "agent.started" && recordOf(data).way === "replay",
    );
    expect(note).toBeDefined();
    const shown = JSON.stringify(await eventsOf(heir, id));
    expect(shown).toContain("files of this session are on another node");
    const taken = /^belay_takeovers_total (\d+)$/m.exec((await heir.ask("GET", "/metrics")).text);
    expect(Number(taken?.[1])).toBeGreaterThan(0);
  });
});

describe("the history of these tests", () => {
  it("has every message once, and no event of a stale driver", async () => {
    const history = await readHistory(lab.url);
    expect(judgeHistory(acknowledged, history)).toEqual([]);
    expect(acknowledged).toHaveLength(4);
  });

  it("control: shows lost, doubled, torn and stale events", () => {
    const id = "a";
    const log = (events: [string, object][]): LoggedEvent[] =>
      events.map(([type, data], nth) => {
        return { entity_id: id, key: id, seq: nth + 1, type, data: { ...data } };
      });
    const sent = [{ entity_id: id, turn_id: "t", content: "hello" }];
    const queued: [string, object] = ["message.queued", { turn_id: "t", content: "hello" }];
    const ended: [string, object] = ["turn.ended", { turn_id: "t" }];
    const kinds = (events: LoggedEvent[]) => judgeHistory(sent, events).map(({ kind }) => kind);
    expect(kinds(log([queued, ended]))).toEqual([]);
    expect(kinds(log([ended]))).toEqual(["lost"]);
    expect(kinds(log([queued]))).toEqual(["unended"]);
    expect(kinds(log([queued, queued, ended]))).toEqual(["doubled"]);
    expect(kinds(log([queued, ended, ["turn.part", { turn_id: "t" }]]))).toEqual(["stale"]);
    const lives: [string, object][] = [
      ["agent.started", { epoch: 2 }],
      ["agent.started", { epoch: 1 }],
    ];
    expect(kinds(log([queued, ended, ...lives]))).toEqual(["stale"]);
    expect(kinds(log([queued, ended]).map((each) => ({ ...each, seq: each.seq * 2 })))).toEqual([
      "gap",
      "gap",
    ]);
  });
});
