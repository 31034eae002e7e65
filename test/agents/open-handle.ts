import { acpStarter } from "../../src/agent/acp/acp-connection.ts";
import { PRESETS } from "../../src/agent/acp/presets.ts";
import { createContext } from "../../src/compose-context.ts";
import { createService } from "../../src/compose-service.ts";
import type { RunInput, SessionToRun } from "../../src/contract/method-inputs.ts";
import type { OperationName, Output } from "../../src/contract/operations.ts";
import type { RunEvent } from "../../src/contract/run-event.ts";
import { createAgentCatalog } from "../../src/drive/agents/agent-catalog.ts";
import type { AgentConversation } from "../../src/drive/run/agent-conversation.ts";
import { createAgentRunner } from "../../src/drive/run/agent-runner.ts";
import type { RunLimits } from "../../src/drive/run/run-context.ts";
import { RUN_LIMITS } from "../../src/drive/run/run-context.ts";
import { isAlive } from "../../src/process/process-identity.ts";
import { newId } from "../../src/service/new-id.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";

/** Belay in this process, with limits short enough for tests. */
export interface Handle {
  run(input: RunInput): AsyncGenerator<RunEvent>;
  converse(place: SessionToRun): Promise<AgentConversation>;
  call<K extends OperationName>(name: K, input: unknown): Promise<Output<K>>;
  close(): Promise<void>;
}

export async function openHandle(home: string, limits: Partial<RunLimits> = {}): Promise<Handle> {
  const store = await openSqliteStore({ folder: home, isAlive });
  const caller = {
    owner: "local",
    actor: "test",
    interface: "library",
    trace_id: newId(),
  } as const;
  const catalog = createAgentCatalog({ home, env: process.env, presets: PRESETS });
  const parts = {
    starter: acpStarter,
    catalog,
    limits: { ...RUN_LIMITS, ...limits },
    driver: `test (pid ${process.pid})`,
  };
  const runner = createAgentRunner(createContext(store), parts);
  const service = createService(runner.context);
  return {
    run: (input) => runner.run(caller, input),
    converse: (place) => runner.converse(caller, place),
    call: (name, input) => service.call(name, input, caller),
    async close() {
      await runner.close();
      await store.close();
    },
  };
}
