import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openServer } from "../http/open-server.ts";

const ROOT = { owner: "ann", actor: "ann", interface: "library", trace_id: null } as const;

it("a member learns nothing about the agents of other people's folders", async () => {
  const server = await openServer();
  await server.service.call("add_person", { name: "bob" }, ROOT);
  const { token } = await server.makeToken("bob", "write");
  const folder = join(server.home, "anns-project");
  mkdirSync(join(folder, ".belay"), { recursive: true });
  const settings = { agents: { hush: { command: "/usr/bin/true" } } };
  writeFileSync(join(folder, ".belay", "agents.json"), JSON.stringify(settings));
  const project = { cwd: folder, repo: null, branch: null };
  const session = { session_id: "probe", agent_name: "elsewhere", project };
  await server.ask("POST", "/sessions", { token, body: session });
  const ask = async (name: string) => {
    const handoff = { to: name, dry_run: true };
    const begin = { agent_name: name, project, initial_message: "hi" };
    const answers = [
      await server.ask("POST", "/sessions/probe/handoff", { token, body: handoff }),
      await server.ask("POST", "/sessions", { token, body: begin }),
    ];
    return answers.map(({ status, text }) => ({ status, text: text.replaceAll(name, "NAME") }));
  };
  const [known, unknown] = [await ask("hush"), await ask("nope")];
  expect(known.map(({ status }) => status)).toEqual([403, 403]);
  expect(known).toEqual(unknown);
  expect(JSON.stringify(known)).not.toContain("agents.json");
});
