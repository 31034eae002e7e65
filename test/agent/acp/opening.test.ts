import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAcpStarter } from "../../../src/agent/acp/acp-connection.ts";
import { waitForNextMinute } from "../../../src/agent/acp/open-session.ts";
import type { AgentLaunch, OpenWay } from "../../../src/agent/agent-connection.ts";
import { demo, Ears, failureOf, scripted, start, startOpen, waitFor } from "./start-agent.ts";

const MINUTE = 60_000;
const again = (way: "load" | "resume", agent_session_id: string, made_at = 0): OpenWay => ({
  way,
  agent_session_id,
  made_at,
});

/** A session of the demo agent with two prompts. */
const past = {
  folder: mkdtempSync(join(tmpdir(), "belay-acp-past-")),
  agent_session_id: "",
};

beforeAll(async () => {
  const launch = demo([]);
  const env = { ...launch.env, BELAY_DEMO_FOLDER: past.folder };
  const connection = await start({ ...launch, env });
  past.agent_session_id = (await connection.open({ way: "new" })).agent_session_id;
  await connection.prompt("/say one");
  await connection.prompt("/run echo two");
  await connection.end();
});

afterAll(() => rmSync(past.folder, { recursive: true }));

/** Opens a copy of that session with a newly started agent. */
async function reopen(way: "load" | "resume", flags: string[], changes: Partial<AgentLaunch> = {}) {
  const { agent_session_id } = past;
  const ears = new Ears();
  const launch = demo(flags, changes);
  cpSync(past.folder, launch.env.BELAY_DEMO_FOLDER ?? "", { recursive: true });
  const connection = await start(launch, ears);
  const opening = connection.open(again(way, agent_session_id));
  return { connection, ears, agent_session_id, opening };
}

describe("loading a session", () => {
  it("returns the earlier prompts and does not report them to the listener", async () => {
    const { opening, ears, agent_session_id, connection } = await reopen("load", []);
    expect(await opening).toEqual({ agent_session_id, replayed: ["/say one", "/run echo two"] });
    expect(ears.updates).toEqual([]);
    await connection.prompt("/say three");
    expect(ears.said().trim()).toBe("three");
    expect(ears.updates.filter(({ kind }) => kind === "tool")).toEqual([]);
  });

  it("waits for a replay that continues after the answer", async () => {
    const quirks = { ...demo().quirks, replay_settles_ms: 500 };
    const other = await start(scripted("replays-in-pieces", { quirks }));
    const { replayed } = await other.open(again("load", "s1"));
    expect(replayed.at(-1)).toBe("late prompt");
    const { opening, ears, connection } = await reopen("load", ["--late-replay"], { quirks });
    expect((await opening).replayed).toEqual(["/say one", "/run echo two"]);
    await connection.prompt("/say three");
    expect(ears.said().trim()).toBe("three");
  });

  it("joins the pieces of one message, and reports no message before the first prompt", async () => {
    const ears = new Ears();
    const launch = scripted("replays-in-pieces");
    const quirks = { ...launch.quirks, replay_settles_ms: 0 };
    const connection = await start({ ...launch, quirks }, ears);
    const { replayed } = await connection.open(again("load", "s1"));
    expect(replayed.slice(0, 3)).toEqual(["first prompt", "second prompt", "third prompt"]);
    await waitFor(
      () => connection.transcript().some((line) => line.includes("late prompt")),
      "the late replay",
    );
    expect(ears.updates).toEqual([]);
    await connection.prompt("go on");
    expect(ears.said()).toBe("a new answer");
  });

  it("stops waiting for an agent that never ends its replay", async () => {
    const launch = scripted("replays-in-pieces", {}, "forever");
    const quirks = { ...launch.quirks, replay_settles_ms: 50 };
    const connection = await start({ ...launch, quirks });
    const begin = performance.now();
    await connection.open(again("load", "s1"));
    expect(performance.now() - begin).toBeGreaterThan(400);
    expect(performance.now() - begin).toBeLessThan(10_000);
  });

  it.each([-32002, -32602, -32603, 1])("fails as refused with error %i", async (code) => {
    const connection = await start(scripted("fails-in-words"));
    const failure = await failureOf(connection.open(again("load", String(code))));
    expect(failure.kind).toBe("refused");
    expect(failure.message).toContain(`no such session (${code})`);
    await expect(connection.open({ way: "new" })).resolves.toMatchObject({ replayed: [] });
  });

  it("fails in time if the agent hangs, and a new session can then be opened", async () => {
    const limits = { initialize: 15_000, open: 1_000, end: 500 };
    const { opening, connection, ears } = await reopen("load", ["--load-hangs"], { limits });
    expect((await failureOf(opening)).kind).toBe("timeout");
    await connection.open({ way: "new" });
    await connection.prompt("/say hello");
    expect(ears.said()).toContain("hello");
  });
});

describe("resuming a session", () => {
  it("continues without a replay", async () => {
    const { opening, agent_session_id, connection, ears } = await reopen("resume", []);
    expect(await opening).toEqual({ agent_session_id, replayed: [] });
    await connection.prompt("/say three");
    expect(ears.said()).toContain("three");
  });

  it.each<[string[], string]>([
    [["--resume-fails", "-32603"], "refused"],
    [["--resume-fails", "-32000"], "login_required"],
    [["--resume-hangs"], "timeout"],
    [["--no-resume"], "refused"],
  ])("fails with %j as %s", async (flags, kind) => {
    const open = kind === "timeout" ? 500 : 10_000;
    const limits = { initialize: 15_000, open, end: 500 };
    const { opening } = await reopen("resume", flags, { limits });
    expect((await failureOf(opening)).kind).toBe(kind);
  });
});

describe("an agent that cannot reopen in the minute in which it made the session", () => {
  const quirks = { ...demo().quirks, reopen_in_next_minute: true };
  /** A clock that can be set to a number of milliseconds before the end of a minute. */
  const clock = () => {
    let offset = 0;
    return {
      now: () => Date.now() + offset,
      setBeforeMinute: (left: number) => {
        offset = 1_000 * MINUTE - left - Date.now();
      },
    };
  };

  it("is opened in the next minute, with a note", async () => {
    const { now, setBeforeMinute } = clock();
    const notices: string[] = [];
    const ears = Object.assign(new Ears(), { notice: (text: string) => notices.push(text) });
    const connection = await start(scripted("plain", { quirks }), ears, createAcpStarter(now));
    setBeforeMinute(400);
    const opening = connection.open(again("load", "s1", now()));
    const asked = () => connection.transcript().some((line) => line.includes("session/load"));
    expect(asked()).toBe(false);
    expect(notices).toEqual([expect.stringContaining("waiting 1 s")]);
    await opening;
    expect(asked()).toBe(true);
    expect(now()).toBeGreaterThanOrEqual(1_000 * MINUTE);
  });

  it("reopens a session of an earlier minute at once", () => {
    expect(waitForNextMinute(5 * MINUTE - 1, 5 * MINUTE)).toBe(0);
    expect(waitForNextMinute(5 * MINUTE, 5 * MINUTE)).toBeGreaterThan(MINUTE);
    expect(waitForNextMinute(5 * MINUTE, 6 * MINUTE - 1)).toBeLessThan(200);
  });

  it("can be ended while it waits", async () => {
    const { now, setBeforeMinute } = clock();
    const connection = await start(
      scripted("plain", { quirks }),
      new Ears(),
      createAcpStarter(now),
    );
    setBeforeMinute(50_000);
    const opening = failureOf(connection.open(again("load", "s1", now())));
    await connection.end();
    expect((await opening).kind).toBe("exited");
  });
});

describe("a mode", () => {
  it("is set in a new session and again when the session is reopened", async () => {
    const ears = new Ears();
    const connection = await startOpen(demo([], { mode: "auto" }), ears);
    await connection.prompt("/run echo hi");
    expect(ears.requests).toEqual([]);
    const anew = await reopen("load", ["--forget-mode"], { mode: "auto" });
    await anew.opening;
    await anew.connection.prompt("/run echo hi");
    expect(anew.ears.requests).toEqual([]);
  });

  it("can be one of the agent's options", async () => {
    const ears = new Ears();
    const connection = await start(scripted("mode-is-an-option", { mode: "read-only" }), ears);
    await connection.open({ way: "new" });
    await waitFor(() => ears.said() !== "", "the agent tells what it was asked");
    expect(JSON.parse(ears.said())).toEqual({
      sessionId: "s1",
      configId: "approval",
      value: "read-only",
    });
  });

  it.each([
    ["mode-is-an-option", 'scripted has no mode "yolo"; it has: agent, read-only'],
    ["plain", 'scripted has no mode "yolo"; it has no modes'],
  ])(
    "that does not exist is refused, with a list of those that exist (%s)",
    async (scenario, message) => {
      const connection = await start(scripted(scenario, { mode: "yolo" }));
      const failure = await failureOf(connection.open({ way: "new" }));
      expect([failure.kind, failure.message]).toEqual(["refused", message]);
    },
  );
});

describe("MCP servers", () => {
  it.each<OpenWay>([{ way: "new" }, again("load", "s1")])(
    "are passed in the protocol's shape ($way), and their secrets are in no transcript",
    async (way) => {
      const ears = new Ears();
      const launch = scripted("repeats-requests", {
        mcp_servers: [
          { name: "files", command: "mcp-files", args: ["-v"], env: { MCP_PASS: "hunter22" } },
          { name: "web", url: "https://x.test/mcp", headers: { Authorization: "Bearer abcdef" } },
        ],
      });
      const connection = await start(launch, ears);
      await connection.open(way);
      await waitFor(
        () => connection.transcript().some((line) => /^<- .*mcp-files/.test(line)),
        "the agent tells what it was asked",
      );
      if (way.way === "new") {
        expect(JSON.parse(ears.said())).toMatchObject({
          mcpServers: [
            {
              name: "files",
              command: "mcp-files",
              args: ["-v"],
              env: [{ name: "MCP_PASS", value: "hunter22" }],
            },
            {
              type: "http",
              name: "web",
              url: "https://x.test/mcp",
              headers: [{ name: "Authorization", value: "Bearer abcdef" }],
            },
          ],
        });
      }
      expect(connection.transcript().join("\n")).not.toMatch(/hunter22|Bearer abcdef/);
      const sent = connection.transcript().filter((line) => line.startsWith("->"));
      expect(sent.join("\n")).not.toContain("MCP_PASS");
    },
  );
});

describe("an agent that wants a login", () => {
  it("names its own login command", async () => {
    const launch = scripted("wants-login");
    const connection = await start(launch);
    const failure = await failureOf(connection.open({ way: "new" }));
    expect(failure.kind).toBe("login_required");
    expect(failure.message).toContain(`run \`${launch.command} login --device\``);
  });

  it("asks the user to start it in a terminal if it has no login command", async () => {
    const connection = await start(demo(["--login-required"]));
    const failure = await failureOf(connection.open({ way: "new" }));
    expect(failure.kind).toBe("login_required");
  });
});

describe("a new session", () => {
  it("receives the updates that the agent sends during its opening, for that session only", async () => {
    const ears = new Ears();
    await startOpen(scripted("talks-early"), ears);
    await waitFor(() => ears.said().includes("after"), "both words");
    expect(ears.said()).toBe("beforeafter");
  });
});
