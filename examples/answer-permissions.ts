// Lets an agent write a file, and refuses to let it run a command.
import { openBelay } from "belay-sessions";

const belay = await openBelay();
const message = "/write note.txt written with permission\n/run rm note.txt";
for await (const event of belay.run({ agent: "demo", message })) {
  if (event.type === "permission") {
    const decision = event.title.startsWith("edit") ? "approved" : "rejected";
    await belay.approvals.decide({ approval_id: event.approval_id, decision });
    process.stdout.write(`${event.title}: ${decision}\n`);
  }
  if (event.type === "tool_call" && event.status !== "started") {
    process.stdout.write(`${event.title}: ${event.status}\n`);
  }
}
await belay.close();
