import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createProgram } from "../../src/compose-program.ts";
import { createTerminal } from "../../src/doors/cli/create-terminal.ts";
import { findSandboxProblem } from "../../src/process/isolate.ts";
import { listStats, wasStartedWith } from "../../src/process/read-proc.ts";
import { DEMO_PROGRAM } from "../agent/demo/demo-program.ts";
import type { TestServer } from "../http/open-server.ts";
import { fieldOf, makeHome, openLive } from "../http/streams/live-server.ts";
import { processesMarked, until } from "../run/run-parts.ts";
import { newPlace, startServing } from "../serve/server-process.ts";

const ROOT = { owner: "ann", actor: "ann", interface: "library", trace_id: null } as const;
const folder = mkdtempSync(join(tmpdir(), "belay-members-"));
const key = join(mkdtempSync(join(tmpdir(), "belay-key-")), "key");

beforeEach(() => {
  vi.stubEnv("BELAY_MEMBER_FOLDERS", folder);
  vi.stubEnv("BELAY_MEMBER_READS", dirname(DEMO_PROGRAM));
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => {
  for (const each of [folder, dirname(key)]) rmSync(each, { recursive: true, force: true });
});

describe("the agent of a member", () => {
  it("reads no data, key, token or process of others, unlike the agent of an admin", async () => {
    const server = await openPeople();
    mkdirSync(join(folder, "carol"), { recursive: true });
    const secrets = [
      join(server.home, "server-token"),
      join(server.home, "logs", "canary"),
      join(folder, "carol", "notes"),
      key,
    ];
    mkdirSync(join(server.home, "logs"), { recursive: true });
    for (const path of secrets) writeFileSync(path, "CANARY", { mode: 0o600 });
    const reads = secrets.map((path) => `cat ${path}`).join("; ");
    const attack = `/run ${reads}; tr '\\0' '\\n' < /proc/${process.pid}/environ; ls ${server.home}; true`;
    const bobs = await send(server, server.tokens.bob.write, attack);
    expect(bobs.output).toContain("No such file");
    expect(bobs.output).not.toContain("CANARY");
    expect(bobs.output).not.toContain("PATH=");
    expect(bobs.output).not.toContain("agents.json");
    // Negative control: without a sandbox, the same commands show all of it.
    const anns = await send(server, server.tokens.ann.write, attack);
    expect(anns.output.match(/CANARY/g)).toHaveLength(secrets.length);
    expect(anns.output).toContain("PATH=");
    expect(anns.output).toContain("agents.json");
  });

  it("works in its own folder and can change nothing else on the machine", async () => {
    const server = await openPeople();
    const { output } = await send(
      server,
      server.tokens.bob.write,
      "/run pwd; env; echo mine > kept; for path in /x /usr/x /etc/x /proc/sys/kernel/core_pattern; do (: > $path) && echo WRO''TE; done; true",
    );
    expect(existsSync(join(folder, "bob", "kept"))).toBe(true);
    expect(output).toContain(join(folder, "bob"));
    expect(output).not.toContain("WROTE");
    expect(output).not.toContain(server.home);
    expect(output).not.toContain("BELAY_MEMBER");
  });

  it("cannot mount file systems of the kernel, such as the control groups of the server", async () => {
    const server = await openPeople();
    const attack = "/run unshare --user true && echo CRE''ATED; true";
    const bobs = await send(server, server.tokens.bob.write, attack);
    expect(bobs.output).toContain("unshare failed");
    expect(bobs.output).not.toContain("CREATED");
    // Negative control: the agent of an admin can create a user namespace, in which it may mount them.
    const anns = await send(server, server.tokens.ann.write, attack);
    expect(anns.output).toContain("CREATED");
  });

  it("is ended with all its processes, and continues its session after a kill", async () => {
    const server = await openPeople();
    const token = server.tokens.bob.write;
    const command = "setsid env -i ESCAPED=yes sleep 1000 > /dev/null 2>&1 & true";
    const { id, entity } = await send(server, token, `/run ${command}`);
    const escaped = () => listStats().filter(({ pid }) => wasStartedWith(pid, "ESCAPED=yes"));
    expect(escaped()).toHaveLength(1);
    process.kill(Math.min(...processesMarked(entity)), "SIGKILL");
    await until("all processes to end", () => escaped().length === 0);
    const ways = await until("the agent to start again", async () => {
      // The first message may still reach the agent that was killed.
      const body = { message: "/say again" };
      await server.ask("POST", `/sessions/${id}/messages`, { token, body });
      const { events } = await logOf(server, entity, "bob");
      const started = events.filter(({ type }) => type === "agent.started");
      return started.length > 1 && started.map(({ data }) => data.way);
    });
    expect(ways).toEqual(["new", "load"]);
    await server.ask("POST", `/sessions/${id}/suspend`, { token, body: {} });
    await until("its agent to end", () => processesMarked(entity).length === 0);
  });

  it("cannot leave its folder, also not through a link", async () => {
    const server = await openPeople();
    const token = server.tokens.bob.write;
    mkdirSync(join(folder, "bob"), { recursive: true });
    symlinkSync(server.home, join(folder, "bob", "out"));
    mkdirSync(join(folder, "bobby"));
    const links = [join(folder, "bob", "out"), join(folder, "bob", "..", "bobby")];
    for (const cwd of [server.home, folder, "/", join(folder, "bobby"), ...links]) {
      const project = { cwd, repo: null, branch: null };
      const body = { agent_name: "agent", project };
      const id = fieldOf(await server.ask("POST", "/sessions", { token, body }), "session_id");
      const sent = await server.ask("POST", `/sessions/${id}/messages`, {
        token,
        body: { message: "hello" },
      });
      expect([cwd, sent.json]).toMatchObject([cwd, { error: "agent_not_trusted" }]);
      const first = { ...body, agent_name: "unknown", initial_message: "hello" };
      const begun = await server.ask("POST", "/sessions", { token, body: first });
      expect([cwd, begun.json]).toMatchObject([cwd, { error: "agent_not_trusted" }]);
    }
    const { sessions } = await server.service.call("list", {}, { ...ROOT, owner: "bob" });
    expect(sessions.map(({ agent_name }) => agent_name)).not.toContain("unknown");
    // Without a folder, the session is created in the person's own.
    const body = { agent_name: "agent", initial_message: "/say hello" };
    expect((await server.ask("POST", "/sessions", { token, body })).status).toBe(201);
  });

  it("cannot pass its processes off as those of another session, whose agent could then never be ended", async () => {
    const server = await openPeople();
    const anns = await send(server, server.tokens.ann.write, "/say hello");
    const forged = `BELAY_AGENT_PROCESS=${anns.entity} sleep 60`;
    const endless = `(while :; do for n in 1 2 3 4; do ${forged} & done; sleep 0.01; done)`;
    const attack = `/run ${endless} > /dev/null 2>&1 & true`;
    const bobs = await send(server, server.tokens.bob.write, attack);
    const isForged = (pid: number) => !wasStartedWith(pid, `BELAY_HOME=${server.home}`);
    const isRunning = () => processesMarked(anns.entity).some(isForged);
    await until("the forged processes", isRunning);
    await server.ask("POST", `/sessions/${anns.id}/suspend`, { body: {} });
    await until("the end of the agent", () => processesMarked(anns.entity).every(isForged));
    expect(isRunning()).toBe(true);
    await server.ask("POST", `/sessions/${anns.id}/resume`, { body: {} });
    const body = { message: "/say again" };
    const again = await server.ask("POST", `/sessions/${anns.id}/messages`, { body });
    expect(fieldOf(again, "content")).toContain("again");
    // The session that they belong to ends them.
    const token = server.tokens.bob.write;
    await server.ask("POST", `/sessions/${bobs.id}/suspend`, { token, body: {} });
    await until("the end of the forged processes", () => !isRunning());
  });

  it("is refused in a folder that the system cannot follow, with the folder to use", async () => {
    const server = await openPeople();
    const token = server.tokens.bob.write;
    const own = join(folder, "bob");
    mkdirSync(own, { recursive: true });
    symlinkSync("loop", join(own, "loop"));
    for (const cwd of [join(own, "loop"), join(own, "loop", "deep"), join(own, "n".repeat(300))]) {
      const body = { agent_name: "agent", project: { cwd, repo: null, branch: null } };
      const id = fieldOf(await server.ask("POST", "/sessions", { token, body }), "session_id");
      const message = { token, body: { message: "hello" } };
      const sent = await server.ask("POST", `/sessions/${id}/messages`, message);
      expect([cwd, sent.json]).toMatchObject([
        cwd,
        { error: "agent_not_trusted", message: expect.stringContaining(`work in ${own}`) },
      ]);
    }
  });

  it("gets no message in a folder of others, also not by a replay", async () => {
    const server = await openPeople();
    const token = server.tokens.bob.write;
    const { id } = await send(server, token, "/say hello");
    const project = { cwd: server.home, repo: null, branch: null };
    const body = { agent_name: "agent", project };
    const into = fieldOf(await server.ask("POST", "/sessions", { token, body }), "session_id");
    const replayed = await server.ask("POST", `/sessions/${id}/replay`, {
      token,
      body: { agent: "agent", into, send: true },
    });
    expect(replayed.json).toMatchObject({ error: "agent_not_trusted" });
    const { json } = await server.ask("GET", `/sessions/${into}`, { token });
    expect(json).toMatchObject({ queued_messages: 0, status: "created" });
  });

  it("is ended if it runs without a sandbox because its owner was an admin before", async () => {
    const server = await openPeople();
    await server.service.call("add_person", { name: "bob", role: "admin" }, ROOT);
    const { entity } = await send(server, server.tokens.bob.write, "/say hello");
    await server.service.call("add_person", { name: "bob", role: "member" }, ROOT);
    expect(await server.runner.endRefused(ROOT)).toBe(1);
    expect(processesMarked(entity)).toEqual([]);
  });
});

describe("a server that cannot isolate", () => {
  it("does not start if the folders of members contain its data", async () => {
    const home = makeHome();
    for (const [folders, reads, said] of [
      [join(home, "work"), "", "would see"],
      [dirname(home), "", /would see|can write/],
      [folder, home, "would see"],
      [join(folder, "none"), "", "must name folders that exist"],
      ["relative", "", "must name folders that exist"],
    ] as const) {
      vi.stubEnv("BELAY_MEMBER_FOLDERS", folders);
      vi.stubEnv("BELAY_MEMBER_READS", reads);
      await expect(openLive({ home })).rejects.toMatchObject({
        code: "usage",
        message: expect.stringMatching(said),
      });
    }
    const own = mkdtempSync(join(folder, "look-"));
    expect(findSandboxProblem({ folder: own, reads: [home] }, [home])).toContain("can be seen");
    expect(findSandboxProblem({ folder: own, reads: [] }, [home])).toBeNull();
  });

  it("does not start if the system allows no sandbox", async () => {
    const place = newPlace();
    const members = mkdtempSync(join(tmpdir(), "belay-members-"));
    const env = { BELAY_MEMBER_FOLDERS: members };
    // A sandbox in which no other can be created.
    const under = ["bwrap", "--unshare-user", "--disable-userns", "--cap-drop", "ALL"];
    const refused = startServing(place, {
      env,
      under: [...under, "--dev-bind", "/", "/", "--proc", "/proc", "--unshare-pid", "--"],
    });
    expect(await refused.ended).toBe(2);
    expect(refused.stdout).toContain(
      "Agents of members cannot be isolated here: bubblewrap failed",
    );
    place.remove();
    rmSync(members, { recursive: true });
  });

  it("reports it in doctor", async () => {
    const { home } = await openPeople();
    const program = createProgram(home, createTerminal(process, true));
    const facts = async () => {
      const belay = await program.open();
      const found = await belay.maintenance.describe().finally(() => belay.close());
      return found.find(({ name }) => name === "members' agents");
    };
    expect(await facts()).toMatchObject({ ok: true, value: `isolated in ${folder}/NAME` });
    vi.stubEnv("BELAY_MEMBER_FOLDERS", home);
    expect(await facts()).toMatchObject({ ok: false, value: "cannot be isolated" });
    vi.stubEnv("BELAY_MEMBER_FOLDERS", "");
    expect(await facts()).toMatchObject({ value: expect.stringContaining("is not set here") });
  });
});

/** Ann is an admin and bob a member, both on record. */
async function openPeople(): Promise<TestServer> {
  const server = await openLive({ home: makeHome({ permissions: { "*": "allow" } }) });
  await server.service.call("add_person", { name: "bob" }, ROOT);
  return server;
}

/** Sends a message to a new session of the agent, and returns what the log has of its tool calls. */
async function send(server: TestServer, token: string, message: string) {
  const body = { agent_name: "agent" };
  const created = await server.ask("POST", "/sessions", { token, body });
  const id = fieldOf(created, "session_id");
  const sent = await server.ask("POST", `/sessions/${id}/messages`, { token, body: { message } });
  expect(sent.status, sent.text).toBe(200);
  const entity = fieldOf(created, "entity_id");
  const { events } = await logOf(server, entity, fieldOf(created, "owner"));
  const results = events.filter(({ type }) => type === "action.completed");
  return { id, entity, output: JSON.stringify(results) };
}

function logOf({ service }: TestServer, id: string, owner: string) {
  return service.call("log", { id, limit: 1000 }, { ...ROOT, owner });
}
