// A person in another terminal who approves the next question: approve-next.ts HOME
import { setTimeout as sleep } from "node:timers/promises";
import { openBelay } from "../../src/index.ts";

const [, , home = ""] = process.argv;
const belay = await openBelay({ home, owner: "local" });
for (let answered = false; !answered; await sleep(50)) {
  const [open] = (await belay.approvals.list({})).approvals;
  if (!open) continue;
  await belay.approvals.decide({ approval_id: open.approval_id, decision: "approved" });
  answered = true;
}
await belay.close();
