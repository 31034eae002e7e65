import { openBelay } from "../../../src/index.ts";

/** Creates data under a umask that would let everybody read it. */
const [, , home = ""] = process.argv;
process.umask(0);
const belay = await openBelay({ home });
await belay.sessions.create({ agent_name: "worker", session_id: "private-session" });
await belay.maintenance.backup(`${home}-backup`);
process.kill(process.pid, "SIGKILL");
