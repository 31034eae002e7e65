import { setTimeout as sleep } from "node:timers/promises";
import { composeAgents } from "../../../src/compose-agents.ts";
import { createContext } from "../../../src/compose-context.ts";
import { createService } from "../../../src/compose-service.ts";
import { openStore } from "../../../src/compose-store.ts";

/**
 * Hands a session on in the middle of a turn, and dies after so many of the changes that follow from it; 0: right before the
 * first. Says how many there were where it lives to see the answer.
 */
const [, , home = "", id = "", when = "0"] = process.argv;
const store = await openStore({ home, onNotice() {} });
const base = createContext(store);
const caller = { owner: "local", actor: "tester", interface: "library", trace_id: null } as const;
let changes = -1;
const runner = composeAgents(
  home,
  {
    ...base,
    async onChanged(changed) {
      if (changes >= 0) dieAt(changes + 1);
      await base.onChanged?.(changed);
    },
  },
  "library",
  caller.owner,
);
const service = createService(runner.context);
await service.call("send_message", { id, message: "/say started\n/slow 60000" }, caller);
// In the middle: the agent has begun to answer.
await until(async () => (await log()).some(({ type }) => type === "turn.part"));
dieAt(0);
await service.call("handoff", { id, to: "other", message: "/say taken over" }, caller);
await until(async () => (await log()).filter(({ type }) => type === "turn.ended").length === 2);
await runner.close();
await store.close();
process.send?.(changes);
process.disconnect?.();

function dieAt(change: number): void {
  changes = change;
  if (change === Number(when)) process.kill(process.pid, "SIGKILL");
}

async function log() {
  return (await service.call("log", { id, limit: 1000 }, caller)).events;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(20);
}
