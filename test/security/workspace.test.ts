import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agentsHome } from "../service/agents/agents-home.ts";

describe("a trusted workspace", () => {
  it("needs trust again if a program in its command lines changes", async () => {
    const { catalog, workspace, write, program, bin } = agentsHome();
    program(join(bin, "node"));
    const own = program(join(workspace, "tools", "agent"));
    const script = write(join(workspace, "tools", "serve.js"), "one");
    const server = write(join(workspace, "tools", "mcp.js"), "one");
    write(join(workspace, "tools", "other.js"), "one");
    const mcp_servers = [{ name: "m", command: "node", args: ["tools/mcp.js"], env: {} }];
    write(join(workspace, ".belay/agents.json"), {
      agents: {
        team: { command: "./tools/agent" },
        script: { command: "node", args: ["tools/serve.js", "--later", "tools/later.js"] },
        tools: { command: "node", mcp_servers },
      },
    });
    const isTrusted = () =>
      catalog.find("team", workspace).then(
        () => true,
        () => false,
      );
    const later = join(workspace, "tools", "later.js");
    for (const path of [own, script, server, later]) {
      await catalog.trust(workspace);
      expect(await isTrusted()).toBe(true);
      write(path, "two");
      expect([path, await isTrusted()]).toEqual([path, false]);
    }
    await catalog.trust(workspace);
    write(join(workspace, "tools", "other.js"), "two");
    expect(await isTrusted()).toBe(true);
  });
});
