import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AgentConnection } from "../../../src/agent/agent-connection.ts";
import {
  identifyProcess,
  isAlive,
  type ProcessIdentity,
} from "../../../src/process/process-identity.ts";
import { endMarked, sendSignal, snapshotTree } from "../../../src/process/process-tree.ts";
import { listStats } from "../../../src/process/read-proc.ts";
import {
  demo,
  Ears,
  failureOf,
  folder,
  scripted,
  start,
  startOpen,
  waitFor,
} from "./start-agent.ts";

const limits = { initialize: 15_000, open: 10_000, end: 400 };
const treeOf = ({ process, marker }: AgentConnection) => snapshotTree(process, marker);

/**
 * One process of the tree was started without the marker, so once the agent is dead, only a snapshot from before can
 * find it.
 */
function endUnmarked(tree: readonly ProcessIdentity[]): number {
  const left = tree.filter(isAlive);
  for (const member of left) sendSignal(member, "SIGKILL");
  return left.length;
}

/** Neither a parent nor a marker leads to the daemon of this agent, and it holds the agent's pipes. */
async function startDaemon() {
  const connection = await startOpen(scripted("is-outlived", { limits }));
  await connection.prompt("go");
  const said = connection.transcript().find((line) => line.startsWith("stderr: "));
  const daemon = identifyProcess(Number(said?.slice("stderr: ".length)));
  // Until it has replaced its program, it still has the marker.
  const nameOf = () => readFileSync(`/proc/${daemon.pid}/comm`, "utf8").trim();
  await waitFor(() => nameOf() === "sleep", "the marker is gone");
  return { connection, daemon };
}

describe("ending an agent", () => {
  it("cancels, closes the session and closes stdin before it sends signals", async () => {
    const log = join(folder(), "log");
    const connection = await startOpen(scripted("records-its-end", { limits }, log));
    const prompt = connection.prompt("go");
    await connection.end();
    expect((await prompt).stop).toBe("cancelled");
    expect(readFileSync(log, "utf8").trim().split("\n")).toEqual([
      "cancel",
      "close",
      "stdin end",
      "SIGTERM",
    ]);
    expect((await connection.exited).signal).toBe("SIGKILL");
  });

  it("does not kill an agent that exits when its input ends", async () => {
    const connection = await startOpen(demo());
    await connection.end();
    expect(await connection.exited).toEqual({ code: 0, signal: null, said: "" });
    expect(connection.transcript().some((line) => line.includes("session/close"))).toBe(true);
  });

  it("does not send a close request to an agent without that capability", async () => {
    const connection = await startOpen(demo(["--no-close"]));
    await connection.end();
    expect(connection.transcript().some((line) => line.includes("session/close"))).toBe(false);
  });

  it("kills an agent that ignores the end of its input, SIGTERM and a cancel", async () => {
    const connection = await startOpen(demo(["--ignore-term", "--ignore-end"], { limits }));
    const prompt = failureOf(connection.prompt("/hang"));
    await connection.end();
    expect(isAlive(connection.process)).toBe(false);
    expect((await prompt).kind).toBe("exited");
    expect((await connection.exited).signal).toBe("SIGKILL");
  });

  it("kills an agent that does not read its input", async () => {
    const connection = await startOpen(scripted("stops-reading", { limits }));
    const prompt = failureOf(connection.prompt("x".repeat(5_000_000)));
    await connection.cancel();
    await connection.end();
    expect((await prompt).kind).toBe("exited");
  });

  it("does not wait for a listener that never returns", async () => {
    const ears = Object.assign(new Ears(), { update: () => new Promise<void>(() => {}) });
    const connection = await startOpen(demo([], { limits }), ears);
    void connection.prompt("/flood 10000").catch(() => {});
    await connection.end();
    expect(isAlive(connection.process)).toBe(false);
  });

  it("ends an agent that relaunched itself", async () => {
    const launch = demo(["--relaunch", "--ignore-term", "--ignore-end"], { limits });
    const connection = await startOpen(launch);
    const tree = treeOf(connection);
    expect(tree.length).toBeGreaterThanOrEqual(2);
    await connection.end();
    expect(tree.filter(isAlive)).toEqual([]);
  });

  it("ends the shell of a tool that runs in its own process group", async () => {
    const ears = new Ears();
    const connection = await startOpen(demo(["--ignore-end"], { limits }), ears);
    const prompt = connection.prompt("/run sleep 1000").catch(() => {});
    await waitFor(() => treeOf(connection).length >= 2, "the tool runs");
    const tree = treeOf(connection);
    await connection.end();
    expect(tree.filter(isAlive)).toEqual([]);
    await prompt;
  });

  it("ends processes that outlive the agent: other groups, orphans, and those that ignore SIGTERM", async () => {
    const connection = await startOpen(scripted("leaves-a-tree", { limits }));
    await connection.prompt("go");
    await waitFor(() => treeOf(connection).length >= 5, "the tree has grown");
    const tree = treeOf(connection);
    await connection.end();
    expect(tree.filter(isAlive)).toEqual([]);
    expect(treeOf(connection)).toEqual([]);
  });

  it("ends the processes of an agent that died first", async () => {
    const connection = await startOpen(scripted("leaves-a-tree", { limits }));
    await connection.prompt("go");
    await waitFor(() => treeOf(connection).length >= 5, "the tree has grown");
    const tree = treeOf(connection);
    process.kill(connection.process.pid, "SIGKILL");
    await connection.exited;
    expect(treeOf(connection).length).toBeGreaterThanOrEqual(3);
    await connection.end();
    expect(treeOf(connection)).toEqual([]);
    endUnmarked(tree);
  });

  it("works from a later process that knows only the marker", async () => {
    const connection = await startOpen(scripted("leaves-a-tree", { limits }));
    await connection.prompt("go");
    await waitFor(() => treeOf(connection).length >= 5, "the tree has grown");
    const tree = treeOf(connection);
    process.kill(connection.process.pid, "SIGKILL");
    await connection.exited;
    await endMarked(connection.marker, 300);
    expect(treeOf(connection)).toEqual([]);
    expect(endUnmarked(tree)).toBeLessThanOrEqual(1);
  });

  it("ends a daemon without the agent's parent, session or environment", async () => {
    const [asked, crashed] = [await startDaemon(), await startDaemon()];
    await asked.connection.end();
    expect(isAlive(asked.daemon)).toBe(false);
    const { connection, daemon } = crashed;
    const agent = listStats().find(
      ({ pid, parent }) => parent === connection.process.pid && pid !== daemon.pid,
    );
    if (!agent) throw new Error("a supervisor without an agent");
    process.kill(agent.pid, "SIGKILL");
    expect((await connection.exited).signal).toBe("SIGKILL");
    expect(isAlive(daemon)).toBe(false);
    await connection.end();
  });

  it("control: without a supervisor, as on other processors, the daemon survives", async () => {
    const arch = Object.getOwnPropertyDescriptor(process, "arch");
    Object.defineProperty(process, "arch", { ...arch, value: "mips" });
    const { connection, daemon } = await startDaemon().finally(() => {
      Object.defineProperty(process, "arch", { ...arch });
    });
    await connection.end();
    expect(isAlive(daemon)).toBe(true);
    process.kill(daemon.pid, "SIGKILL");
  });

  it("closes its pipes even if an unknown process holds them open", async () => {
    const { connection, daemon: outlived } = await startDaemon();
    // Killing the supervisor removes the only way to find the daemon.
    const before = readdirSync("/proc/self/fd").length;
    process.kill(connection.process.pid, "SIGKILL");
    await connection.exited;
    await connection.end();
    expect(isAlive(outlived)).toBe(true);
    process.kill(outlived.pid, "SIGKILL");
    expect(readdirSync("/proc/self/fd").length).toBeLessThanOrEqual(before - 3);
  });

  it("may be requested twice, and after the agent has exited", async () => {
    const connection = await startOpen(demo());
    const [first, second] = [connection.end(), connection.end()];
    await Promise.all([first, second]);
    await connection.end();
    expect(isAlive(connection.process)).toBe(false);
    const crashed = await startOpen(demo());
    await failureOf(crashed.prompt("/exit 3"));
    await crashed.end();
    expect((await crashed.exited).code).toBe(3);
  });

  it("leaves no handle and no child process, twenty times in a row", async () => {
    const count = () => ({
      handles: readdirSync("/proc/self/fd").length,
      children: listStats().filter(({ parent }) => parent === process.pid).length,
    });
    await (await start(scripted("plain"))).end();
    const before = count();
    for (let round = 0; round < 20; round += 1) {
      const connection = await startOpen(scripted("plain"));
      await connection.prompt("hello");
      await connection.end();
    }
    expect(count()).toEqual(before);
  });
});
