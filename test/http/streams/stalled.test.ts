import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { MOST_HELD } from "../../../src/service/read/held-pages.ts";
import type { StreamStore } from "../../../src/store/stream-store.ts";
import { until } from "../../run/run-lab.ts";
import type { TestServer } from "../open-server.ts";
import { begin, openLive, read } from "./live-server.ts";
import { Onlooker } from "./onlooker.ts";

const caller = { owner: "ann", actor: "test", interface: "api", trace_id: null } as const;
const MB = 1024 * 1024;

const record = ({ service }: TestServer, id: string, bytes: number) =>
  service.call("record_turn", { id, input: "x".repeat(bytes), output: "" }, caller);

/** Counts the watchers. */
function counted(counts: { watching: number }): (store: StreamStore) => StreamStore {
  return (store) => ({
    ...store,
    watch(onChange, id) {
      counts.watching += 1;
      const stop = store.watch(onChange, id);
      let stopped = false;
      return () => {
        if (!stopped) counts.watching -= 1;
        stopped = true;
        stop();
      };
    },
  });
}

function heapUsed(): number {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect === "function") collect();
  return process.memoryUsage().heapUsed + process.memoryUsage().external;
}

describe("a client that reads nothing", () => {
  it("is disconnected, and can continue at its position", async () => {
    const server = await openLive({ times: { stalled: 400 } });
    const id = await begin(server);
    const onlooker = new Onlooker(`${server.url}/sessions/${id}/events`, server.tokens.ann.read);
    const first = onlooker.connect();
    await until("its first event", () => onlooker.last > 0);
    first.stall();
    for (let nth = 0; nth < 40; nth += 1) await record(server, id, MB / 2);
    // Data in the network's buffers reaches it after the end.
    await until("its being let go", () => server.log().includes("/sessions/:id/events"));
    first.goOn();
    expect(await first.closed).toBe(false);
    const before = onlooker.last;
    expect(before).toBeLessThan(42);
    onlooker.connect();
    await until("the rest", () => onlooker.last === 42);
    expect(onlooker.wrong).toEqual([]);
    onlooker.cut();
  });

  it("is not disconnected while it reads something now and then", async () => {
    const server = await openLive({ times: { stalled: 500 } });
    const id = await begin(server);
    for (let nth = 0; nth < 12; nth += 1) await record(server, id, MB);
    const onlooker = new Onlooker(`${server.url}/sessions/${id}/events`, server.tokens.ann.read);
    const reader = onlooker.connect();
    await reader.opened;
    let taking = true;
    const pace = setInterval(() => {
      if (taking) reader.stall();
      else reader.goOn();
      taking = !taking;
    }, 120);
    await until("all of it", () => onlooker.last === 14);
    clearInterval(pace);
    expect(onlooker.wrong).toEqual([]);
    onlooker.cut();
  });

  it("costs little, even fifty of them on a busy session", async () => {
    const server = await openLive();
    const id = await begin(server);
    const readers = Array.from({ length: 50 }, () => read(server, `/sessions/${id}/events`));
    await until("all of them", () => readers.every(({ events }) => events.length > 0));
    for (const reader of readers) reader.stall();
    // The first message loads what starts an agent.
    await server.ask("POST", `/sessions/${id}/messages`, { body: { message: "/say hello" } });
    const before = heapUsed();
    let written = 0;
    for (let turn = 0; turn < 2; turn += 1) {
      const body = { message: "/flood 8000\n/chunks 300 8192" };
      const { status, json } = await server.ask("POST", `/sessions/${id}/messages`, { body });
      expect(status).toBe(200);
      written += JSON.stringify(json).length;
    }
    const grown = heapUsed() - before;
    expect(written).toBeGreaterThan(4 * MB);
    // All unread data would be fifty times the text.
    expect(grown).toBeLessThan(60 * MB);
    for (const reader of readers) reader.cut();
  });
});

describe("many clients that read none of many large events", () => {
  it("need little memory in total, and a client that was disconnected reconnects and misses nothing", async () => {
    const server = await openLive();
    const id = await begin(server);
    const url = `${server.url}/sessions/${id}/events`;
    const onlookers = Array.from({ length: 40 }, () => new Onlooker(url, server.tokens.ann.read));
    const readers = onlookers.map((onlooker) => onlooker.connect());
    await until("all of them", () => onlookers.every(({ last }) => last > 0));
    for (const reader of readers) reader.stall();
    const before = heapUsed();
    // The first of these go into buffers of the system.
    for (let nth = 0; nth < 5; nth += 1) await record(server, id, 3.5 * MB);
    await until("room", () => heapUsed() - before < MOST_HELD + 40 * MB);
    await until("the end of some", () => server.log().includes("/sessions/:id/events"));
    const { length } = (await server.service.call("log", { id, limit: 100 }, caller)).events;
    for (const onlooker of onlookers.slice(0, 3)) {
      onlooker.cut();
      onlooker.connect();
      await until("the rest", () => onlooker.last >= length);
      expect(onlooker.wrong).toEqual([]);
    }
    for (const onlooker of onlookers) onlooker.cut();
  });
});

describe("200 clients that connect and are disconnected", () => {
  it("leave nothing behind", async () => {
    const counts = { watching: 0 };
    const server = await openLive({ wrap: counted(counts) });
    const id = await begin(server);
    const body = { message: "/say hello" };
    await server.ask("POST", `/sessions/${id}/messages`, { body });
    const come = async (nth: number): Promise<void> => {
      const path = nth % 2 === 0 ? `/sessions/${id}/events` : "/events";
      const reader = read(server, path);
      await reader.opened;
      reader.cut();
      await reader.closed;
    };
    for (let nth = 0; nth < 10; nth += 1) await come(nth);
    const rest = () => ({ watching: counts.watching, resources: resources() });
    const before = await until("rest", () => !resources().TCPSocketWrap && rest());
    for (let nth = 0; nth < 200; nth += 1) await come(nth);
    await until("rest", () => JSON.stringify(rest()) === JSON.stringify(before)).catch(() => {});
    expect(rest()).toEqual(before);
    expect(process.listenerCount("warning")).toBeLessThan(5);
  });
});

/** The resources that keep the process alive, except vitest's own. */
function resources(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo().sort()) {
    if (name === "TCPSocketWrap" || name === "Timeout" || name === "TCPServerWrap") {
      counts[name] = (counts[name] ?? 0) + 1;
    }
  }
  return counts;
}
