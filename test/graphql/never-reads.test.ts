import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { openServer } from "../http/open-server.ts";
import { until } from "../http/until.ts";
import { MEASURED } from "../patience.ts";
import { begin, CALLER } from "./begin-session.ts";
import { askAndNeverRead, frame } from "./raw-socket.ts";

const WAYS = ["ws", "sse"] as const;

describe("a client that never reads", () => {
  it.each(WAYS)("over %s is disconnected, and costs little until then", MEASURED, async (way) => {
    const times = { heartbeat: 15_000, stalled: 6000, answer: 10_000 };
    const server = await openServer({ times });
    const id = await begin(server);
    const big = "x".repeat(64_000);
    for (let n = 0; n < 250; n++) {
      const turn = { id, turn_id: `turn-${n}`, input: "a", output: big };
      await server.service.call("record_turn", turn, CALLER);
    }
    const streams = async () => {
      const { text } = await server.ask("GET", "/metrics", { token: server.tokens.ann.admin });
      return Number(/^belay_http_open_streams (\d+)$/m.exec(text)?.[1]);
    };
    const before = heapUsed();
    const sockets = Array.from({ length: 10 }, () => askAndNeverRead(server, way, id));
    await until(async () => (await streams()) === 10);
    await sleep(1000);
    // The unread data is 160 MB.
    expect(heapUsed() - before).toBeLessThan(60 * 1024 * 1024);
    await until(async () => (await streams()) === 0);
    for (const socket of sockets) socket.destroy();
  });
});

describe("a client that sends requests and never reads the answers", () => {
  const ping = Buffer.concat([Buffer.from([0x89, 0xfd, 0, 0, 0, 0]), Buffer.alloc(125, "x")]);
  const payload = { x: "x".repeat(100) };
  it.each([
    ["pings of the WebSocket", ping],
    ["pings of GraphQL", frame({ type: "ping", payload })],
  ])("costs little: %s", async (_name, each) => {
    const times = { heartbeat: 15_000, stalled: 15_000, answer: 10_000 };
    const server = await openServer({ times });
    const id = await begin(server);
    const socket = askAndNeverRead(server, "ws", id);
    const many = Buffer.concat(Array.from({ length: 8_000 }, () => each));
    const before = heapUsed();
    // Unless it is stopped, it sends 40 MB.
    for (let n = 0; n < 40 && !(await isStuck(socket)); n++) socket.write(many);
    expect(heapUsed() - before).toBeLessThan(16 * 1024 * 1024);
    socket.destroy();
  });
});

/** True if nobody reads its output any more. */
async function isStuck(socket: Socket): Promise<boolean> {
  for (let quiet = 0; socket.writableNeedDrain && quiet < 20; ) {
    const { writableLength } = socket;
    await sleep(20);
    quiet = socket.writableLength === writableLength ? quiet + 1 : 0;
  }
  return socket.writableNeedDrain;
}

function heapUsed(): number {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  if (typeof collect === "function") collect();
  return process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;
}
