// A process that drives a session and is then killed: drive-session.ts HOME SESSION MESSAGE
import { openBelay } from "../../src/index.ts";

const [, , home = "", id = "", message = ""] = process.argv;
const belay = await openBelay({ home, owner: "local" });
for await (const event of belay.run({ id, message })) {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}
await belay.close();
