import { openBelay } from "../../src/index.ts";

/** Starts and completes actions of a session of the workspace, until it is killed or has done the given number. */
const [home = "", cwd = "", session_id = "", count = "1000000"] = process.argv.slice(2);
const belay = await openBelay({ home });
const project = { cwd, repo: null, branch: null };
await belay.sessions
  .create({ agent_name: "worker", session_id, project })
  .catch((error: { code?: string }) => {
    if (error.code !== "session_exists") throw error;
  });
for (let nth = 0; nth < Number(count); nth += 1) {
  const action_id = `w${process.pid}-${nth}`;
  await belay.actions.begin({ id: session_id, action_id, type: "step" });
  await belay.actions.complete({ id: session_id, action_id });
  process.stdout.write(".");
}
await belay.close();
