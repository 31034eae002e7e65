// A step of a pipeline that an agent performs. A step that people must talk about suspends the pipeline.
import { openBelay, SessionSuspended } from "belay-sessions";

const belay = await openBelay();
const step = await belay.runAgentStep({ agent: "demo", topic: "/say three findings" });
process.stdout.write(`summary: ${step.summary}\n`);

try {
  await belay.runAgentStep({ agent: "demo", topic: "review this", mode: "interactive" });
} catch (error) {
  if (!(error instanceof SessionSuspended)) throw error;
  const { status } = await belay.sessions.get({ id: error.session_id });
  process.stdout.write(`waits for people: ${status}\n`);
}
await belay.close();
