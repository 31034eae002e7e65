import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { agentsHome } from "./agents-home.ts";

describe("a workspace's agents", () => {
  it("run nothing before the user trusts them, and say how to do so", async () => {
    const { catalog, workspace, write, program } = agentsHome();
    const path = program(join(workspace, "tools", "agent"));
    const file = write(join(workspace, ".belay/agents.json"), {
      agents: { team: { command: "./tools/agent", cwd: "sub" } },
    });
    await expect(catalog.find("team", workspace)).rejects.toMatchObject({
      code: "agent_not_trusted",
      message: `team is an agent of ${file}, which you have not trusted in its current version. Read the file, then run: belay agents trust`,
    });
    expect(await catalog.list(workspace)).toContainEqual(
      expect.objectContaining({ name: "team", source: "workspace", trusted: false }),
    );
    expect(await catalog.trust(workspace)).toEqual({
      file,
      agents: [{ name: "team", runs: [path], allows: [], problem: null }],
    });
    const launch = (await catalog.find("team", workspace)).launchFor("s-1", "/elsewhere");
    expect(launch).toMatchObject({ command: path, cwd: join(workspace, "sub") });
  });

  it("lose trust when a byte changes", async () => {
    const { catalog, workspace, write, program, bin } = agentsHome();
    program(join(bin, "one"));
    const place = join(workspace, ".belay/agents.json");
    write(place, { agents: { team: { command: "one" } } });
    await catalog.trust(workspace);
    await catalog.find("team", workspace);
    write(place, `${readFileSync(place, "utf8")} `);
    await expect(catalog.find("team", workspace)).rejects.toMatchObject({
      code: "agent_not_trusted",
    });
  });

  it("hide no preset and no agent of the user while they are not trusted", async () => {
    const { catalog, workspace, write, program, bin, home } = agentsHome();
    for (const name of ["gemini", "mine", "evil"]) program(join(bin, name));
    write(join(home, "agents.json"), { agents: { own: { command: "mine" } } });
    const evil = { command: "evil" };
    write(join(workspace, ".belay/agents.json"), { agents: { gemini: evil, own: evil } });
    const run = async (name: string) =>
      (await catalog.find(name, workspace)).launchFor("s-1", workspace).command;
    expect([await run("gemini"), await run("own")]).toEqual([
      join(bin, "gemini"),
      join(bin, "mine"),
    ]);
    const shown = (await catalog.list(workspace)).map(({ name, source, trusted }) =>
      [name, source, trusted].join(" "),
    );
    expect(shown).toEqual([
      "gemini preset true",
      "own user true",
      "gemini workspace false",
      "demo preset true",
    ]);
    await catalog.trust(workspace);
    expect([await run("gemini"), await run("own")]).toEqual([join(bin, "evil"), join(bin, "mine")]);
  });

  it("show what trusting them allows", async () => {
    const { catalog, workspace, write } = agentsHome();
    write(join(workspace, ".belay/agents.json"), {
      agents: {
        team: {
          command: "agent",
          env: { LD_PRELOAD: "/x y.so" },
          mcp_servers: [{ name: "m", command: "./mcp", args: ["-v"] }],
          permissions: { execute: "allow", read: "ask" },
        },
      },
    });
    expect((await catalog.trust(workspace)).agents).toEqual([
      {
        name: "team",
        runs: ["'LD_PRELOAD=/x y.so' agent", `${join(workspace, "mcp")} -v`],
        allows: ["execute"],
        problem: null,
      },
    ]);
  });

  it("are found from a folder below, but not above the repository", async () => {
    const { catalog, workspace, write } = agentsHome();
    const below = join(workspace, "a", "b");
    mkdirSync(below, { recursive: true });
    const names = async () => (await catalog.list(below)).map(({ name }) => name);
    write(join(dirname(workspace), ".belay/agents.json"), { agents: { above: { command: "x" } } });
    expect(await names()).not.toContain("above");
    write(join(workspace, ".belay/agents.json"), { agents: { here: { command: "x" } } });
    expect(await names()).toContain("here");
  });

  it("are not looked for above the user's home", async () => {
    const { catalog, userHome, write } = agentsHome();
    write(join(dirname(userHome), ".belay/agents.json"), { agents: { above: { command: "x" } } });
    const outside = join(userHome, "notes");
    mkdirSync(outside);
    expect((await catalog.list(outside)).map(({ name }) => name)).not.toContain("above");
  });

  it("are the user's own if the data folder is in the home folder", async () => {
    const { catalog, userHome, home, write } = agentsHome();
    write(join(home, "agents.json"), { agents: { own: { command: "x" } } });
    const rows = (await catalog.list(userHome)).filter(({ name }) => name === "own");
    expect(rows).toMatchObject([{ source: "user", trusted: true }]);
    await expect(catalog.trust(userHome)).rejects.toThrow("No .belay/agents.json");
  });

  it("are trusted at the target of a link, and start programs beside that target", async () => {
    const { catalog, workspace, userHome, write, program } = agentsHome();
    const shared = write(join(userHome, "shared/.belay/agents.json"), {
      agents: { team: { command: "./run" } },
    });
    mkdirSync(join(workspace, ".belay"));
    symlinkSync(shared, join(workspace, ".belay/agents.json"));
    program(join(workspace, "run"));
    const beside = program(join(userHome, "shared/run"));
    expect((await catalog.trust(workspace)).file).toBe(shared);
    const launch = (await catalog.find("team", workspace)).launchFor("s-1", workspace);
    expect(launch.command).toBe(beside);
  });

  it("are not trusted because the same text is trusted elsewhere", async () => {
    const { catalog, workspace, write } = agentsHome();
    write(join(workspace, ".belay/agents.json"), { agents: { team: { command: "./run" } } });
    await catalog.trust(workspace);
    const moved = `${workspace}-2`;
    renameSync(workspace, moved);
    await expect(catalog.find("team", moved)).rejects.toMatchObject({ code: "agent_not_trusted" });
  });

  it("cannot be trusted while they cannot be read, and break nothing", async () => {
    const { catalog, workspace, write } = agentsHome();
    await expect(catalog.trust(workspace)).rejects.toThrow("No .belay/agents.json");
    const file = write(join(workspace, ".belay/agents.json"), "{");
    await expect(catalog.trust(workspace)).rejects.toThrow(`${file}:1:2: invalid JSON.`);
    await catalog.find("demo", workspace);
    expect(await catalog.list(workspace)).toContainEqual(
      expect.objectContaining({ name: file, trusted: false, source: "workspace" }),
    );
    await expect(catalog.find("nobody", workspace)).rejects.toThrow("invalid JSON");
  });

  it("do not block if a pipe is in place of the file", async () => {
    const { catalog, workspace } = agentsHome();
    mkdirSync(join(workspace, ".belay"));
    execFileSync("mkfifo", [join(workspace, ".belay/agents.json")]);
    expect(await catalog.list(workspace)).toContainEqual(
      expect.objectContaining({ problem: expect.stringContaining("it is not a regular file") }),
    );
  });

  it("are recorded in a private file; if it is damaged, nothing is trusted", async () => {
    const { catalog, workspace, home, write } = agentsHome();
    write(join(workspace, ".belay/agents.json"), { agents: { team: { command: "x" } } });
    await catalog.trust(workspace);
    const memory = join(home, "trusted.json");
    expect(statSync(memory).mode & 0o777).toBe(0o600);
    write(memory, "{");
    await expect(catalog.find("team", workspace)).rejects.toMatchObject({
      code: "agent_not_trusted",
    });
    await catalog.trust(workspace);
    await expect(catalog.find("team", workspace)).rejects.toMatchObject({
      code: "agent_not_found",
    });
  });
});
