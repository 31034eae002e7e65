// Talks with an agent, leaves, comes back in another handle as another process would, and continues.
import { openBelay } from "belay-sessions";

const first = await openBelay();
let id = "";
for await (const event of first.run({ agent: "demo", message: "remember the colour blue" })) {
  id = event.session_id;
  if (event.type === "message") process.stdout.write(event.text);
}
await first.close();

const second = await openBelay();
for await (const event of second.run({ id, message: "what do you remember?" })) {
  if (event.type === "message") process.stdout.write(event.text);
}
await second.sessions.finalize({ id, outcome: "completed", summary: "It remembers." });
await second.close();
process.stdout.write("\n");
