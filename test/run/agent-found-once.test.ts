import { expect, it } from "vitest";
import { acpStarter } from "../../src/agent/acp/acp-connection.ts";
import { composeCatalog } from "../../src/compose-agents.ts";
import { createContext } from "../../src/compose-context.ts";
import { createService } from "../../src/compose-service.ts";
import { createAgentRunner } from "../../src/drive/run/agent-runner.ts";
import { RUN_LIMITS } from "../../src/drive/run/run-context.ts";
import { isAlive } from "../../src/process/process-identity.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import { openLab } from "./run-lab.ts";

it("looks the agent up once for a message, and again for a later message", async () => {
  const lab = await openLab();
  const store = await openSqliteStore({ folder: lab.home, isAlive });
  const catalog = composeCatalog(lab.home);
  let found = 0;
  const runner = createAgentRunner(createContext(store), {
    starter: acpStarter,
    catalog: {
      ...catalog,
      async find(name, cwd) {
        found += 1;
        return catalog.find(name, cwd);
      },
    },
    limits: { ...RUN_LIMITS, idle: 1 },
    driver: "test",
  });
  const service = createService(runner.context);
  const caller = { owner: "local", actor: "test", interface: "library", trace_id: null } as const;
  const project = { cwd: lab.cwd, repo: null, branch: null };
  const { session_id } = await service.call("create", { agent_name: "agent", project }, caller);
  const send = async () => {
    const sent = await service.call("send_message", { id: session_id, message: "hi" }, caller);
    const answer = await runner.awaitTurn(caller, sent, 30_000, new AbortController().signal);
    expect(answer).toMatchObject({ status: "completed" });
  };
  await send();
  expect(found).toBe(1);
  await send();
  expect(found).toBe(1);
  while ((await runner.reap()) === 0);
  await send();
  expect(found).toBe(2);
  await runner.close();
  await store.close();
});
