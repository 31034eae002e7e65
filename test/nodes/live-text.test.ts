import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { acpStarter } from "../../src/agent/acp/acp-connection.ts";
import { composeCatalog } from "../../src/compose-agents.ts";
import { createContext } from "../../src/compose-context.ts";
import { createService } from "../../src/compose-service.ts";
import { createAgentRunner } from "../../src/drive/run/agent-runner.ts";
import { RUN_LIMITS } from "../../src/drive/run/run-context.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { RedisMessages } from "../../src/store/redis/redis-messages.ts";
import { SealedMessages } from "../../src/store/redis/sealed-messages.ts";
import { until, writeAgent } from "../run/run-parts.ts";
import { RedisServer } from "./redis-server.ts";

const redis = await RedisServer.start();
const spy = await redis.connect();
const home = mkdtempSync(join(tmpdir(), "belay-live-"));
mkdirSync(join(home, "work"));
writeAgent(home, {});
const store = openMemoryStore();
const secret = randomBytes(32);
const sealed = new SealedMessages(secret);
const caller = { owner: "ann", actor: "ann", interface: "library", trace_id: null } as const;
/** Nothing is stored before the turn ends, so all text that is seen earlier was live. */
const NEVER = { ms: 3_600_000, chars: Number.MAX_SAFE_INTEGER };

function openNode(flush = NEVER) {
  const runner = createAgentRunner(createContext(store), {
    starter: acpStarter,
    catalog: composeCatalog(home),
    limits: { ...RUN_LIMITS, max_agents: 20, flush },
    driver: "a node",
  });
  const messages = new RedisMessages({ url: redis.url, secret, onProblem: () => {} });
  runner.connect(messages);
  return { runner, messages, service: createService(runner.context) };
}

const [one, other] = [openNode(), openNode()];
const watchers: Watcher[] = [];
const sessions: string[] = [];
afterEach(async () => {
  for (const watcher of watchers.splice(0)) watcher.stop();
  for (const id of sessions.splice(0)) await one.service.call("cancel", { id }, caller);
});
afterAll(async () => {
  for (const { runner, messages } of [one, other]) {
    await runner.close();
    await messages.close();
  }
  spy.destroy();
  redis.remove();
  rmSync(home, { recursive: true, force: true });
});

/** A client of a node that follows a session. It fails on text with a gap. */
class Watcher {
  text = "";
  types: string[] = [];
  failure: unknown = null;
  readonly #stop = new AbortController();

  constructor(node: typeof one, id: string, seq = 0) {
    watchers.push(this);
    void this.#watch(node, id, seq).catch((error: unknown) => {
      this.failure = error;
    });
  }

  stop(): void {
    this.#stop.abort();
  }

  async #watch({ runner }: typeof one, id: string, seq: number): Promise<void> {
    const items = runner.watchLog(
      id,
      { place: { seq, digest: null }, read: null },
      this.#stop.signal,
    );
    for await (const item of items) {
      if ("seq" in item) this.types.push(item.type);
      else if (item.offset > this.text.length) throw new Error(`a gap before ${item.offset}`);
      else this.text = this.text.slice(0, item.offset) + item.text;
    }
  }
}

async function begin(message: string): Promise<{ id: string; entity_id: string }> {
  const project = { cwd: join(home, "work"), repo: null, branch: null };
  const input = { agent_name: "agent", project };
  const { session_id: id, entity_id } = await one.service.call("create", input, caller);
  sessions.push(id);
  await one.service.call("send_message", { id, message }, caller);
  return { id, entity_id };
}

const ENDLESS = "/pace 10\n/chunks 100000 20";
const shows = (watcher: Watcher, length: number) =>
  until(`${length} characters`, () => {
    if (watcher.failure) throw watcher.failure;
    return watcher.text.length >= length;
  });

/** Everything that passes through Redis. */
async function overhear() {
  const heard: { channel: string; bytes: Buffer }[] = [];
  const ear = await redis.connect();
  await ear.pSubscribe("*", (bytes, channel) => heard.push({ channel: `${channel}`, bytes }), true);
  return { heard, stop: () => ear.destroy() };
}

/** Publishes bytes as Redis could, in the channel of a session. Returns how many the other node has rejected. */
async function publish(entity_id: string, all: readonly Uint8Array[]): Promise<number> {
  const channel = sealed.channelOf(`text of ${entity_id}`);
  const { rejected } = other.messages.counts;
  for (const bytes of all) await spy.publish(channel, Buffer.from(bytes));
  let hasCome = false;
  const stop = other.messages.receive(`text of ${entity_id}`, (text) => {
    hasCome ||= text === "the last";
  });
  await spy.publish(channel, sealed.seal(channel, "the last"));
  await until("the last", () => hasCome);
  stop();
  return other.messages.counts.rejected - rejected;
}

describe("live text of an agent on another node", () => {
  it("arrives before it is stored, complete also for late clients", async () => {
    const { entity_id } = await begin(ENDLESS);
    const early = new Watcher(other, entity_id);
    await shows(early, 200);
    const late = new Watcher(other, entity_id);
    await shows(late, early.text.length + 200);
    expect(early.text.startsWith(late.text.slice(0, 200))).toBe(true);
    expect(late.types).not.toContain("turn.part");
  });

  it("cannot be read by Redis, nor can the ids of sessions", async () => {
    const { heard, stop } = await overhear();
    const { entity_id } = await begin("/say a secret plan\n/slow 60000");
    const watcher = new Watcher(other, entity_id);
    await until("the text", () => watcher.text.includes("a secret plan"));
    stop();
    const all = Buffer.concat(heard.flatMap(({ channel, bytes }) => [Buffer.from(channel), bytes]));
    expect(all.length).toBeGreaterThan(100);
    for (const plain of ["secret", "turn_id", entity_id]) expect(all.includes(plain)).toBe(false);
  });

  it("cannot be moved, forged or repeated by a hostile Redis", async () => {
    const { heard, stop } = await overhear();
    const hidden = await begin("/say only for ann\n/slow 60000");
    const mine = new Watcher(other, hidden.entity_id);
    await until("the text", () => mine.text.includes("only for ann"));
    const open = await begin("/say something else\n/slow 60000");
    const watcher = new Watcher(other, open.entity_id);
    await until("the other text", () => watcher.text.includes("something else"));
    stop();
    const lies = heard.map(({ bytes }) => bytes);
    const channel = sealed.channelOf(`text of ${open.entity_id}`);
    const moved = heard.filter((each) => each.channel !== channel);
    const garbage = [randomBytes(100), Buffer.alloc(0)];
    expect(await publish(open.entity_id, [...lies, ...garbage])).toBe(moved.length + 2);
    expect(watcher.text).toBe("something else");
    expect(watcher.failure).toBeNull();

    // A turn that has ended is not shown again, not even to somebody who has just come.
    await one.service.call("interrupt", { id: hidden.id }, caller);
    await until("the end", () => mine.types.includes("turn.ended"));
    const { version } = await one.service.call("get", { id: hidden.id }, caller);
    const late = new Watcher(other, hidden.entity_id, version);
    await publish(hidden.entity_id, lies);
    await one.service.call("update", { id: hidden.id, phase: "planning" }, caller);
    await until("a later event", () => late.types.length > 0);
    expect(late.text).toBe("");
  });

  it("control: is shown if Redis knows the secret", async () => {
    const { entity_id } = await begin("/say begun\n/slow 60000");
    const watcher = new Watcher(other, entity_id);
    await until("the text", () => watcher.text.includes("begun"));
    const { head } = (await store.read([{ ref: { id: entity_id } }]))[0]?.stream ?? {};
    const { turn, counts } = JSON.parse(JSON.stringify(head));
    expect(counts).toBeDefined();
    const channel = sealed.channelOf(`text of ${entity_id}`);
    const forged = {
      ...{ from: "redis", whole: false, turn_id: turn.id, item: 0, kind: "message" },
      ...{ offset: 5, text: " and forged", after: 0 },
    };
    await publish(entity_id, [sealed.seal(channel, JSON.stringify(forged))]);
    await until("the forged text", () => watcher.text.includes("and forged"));
  });
});

describe("a Redis that fails", () => {
  const isUp = (node: typeof one) => node.messages.problem() === null;

  it("that is paused delays live text, and nothing else", async () => {
    const { entity_id } = await begin(ENDLESS);
    const watcher = new Watcher(other, entity_id);
    const local = new Watcher(one, entity_id);
    await shows(watcher, 100);
    redis.signal("SIGSTOP");
    try {
      const { length } = local.text;
      await shows(local, length + 500);
      await until("a problem", () => other.messages.problem()?.includes("does not answer"));
    } finally {
      redis.signal("SIGCONT");
    }
    await shows(watcher, local.text.length);
    await until("an answer", () => isUp(other));
  });

  it("that is flushed, killed and restarted loses only text in transit", async () => {
    const { entity_id, id } = await begin(ENDLESS);
    const watcher = new Watcher(other, entity_id);
    await shows(watcher, 100);
    await spy.flushAll();
    await shows(watcher, watcher.text.length + 200);
    await redis.kill();
    await until("a problem", () => other.messages.problem()?.includes("cannot be reached"));
    const local = new Watcher(one, entity_id);
    await shows(local, watcher.text.length + 500);
    await redis.start();
    await shows(watcher, local.text.length);
    await until("an answer", () => isUp(other) && isUp(one));

    await redis.kill();
    await one.service.call("interrupt", { id }, caller);
    await until("the stored text", () => watcher.types.includes("turn.ended"));
    expect(watcher.types).toContain("turn.part");
    await redis.start();
    await until("both", () => isUp(other) && isUp(one));
  });
});
