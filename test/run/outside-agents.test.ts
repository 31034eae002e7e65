import { expect, it } from "vitest";
import { openServer } from "../http/open-server.ts";

const ANN = { owner: "ann", actor: "ann", interface: "cli", trace_id: null } as const;

it("a message to a closed session is refused for that reason, also if its agent runs elsewhere", async () => {
  const { service, runner } = await openServer();
  for (const session_id of ["live-1", "held-1", "done-1", "gone-1"]) {
    await service.call("create", { agent_name: "elsewhere", session_id }, ANN);
  }
  await service.call("suspend", { id: "held-1" }, ANN);
  await service.call("finalize", { id: "done-1", outcome: "completed" }, ANN);
  await service.call("cancel", { id: "gone-1" }, ANN);
  const codes = {
    "live-1": "agent_not_found",
    "held-1": "session_suspended",
    "done-1": "session_completed",
    "gone-1": "session_cancelled",
  };
  for (const [id, code] of Object.entries(codes)) {
    const conversation = await runner.converse(ANN, { id });
    await expect(conversation.send("hello"), id).rejects.toMatchObject({ code });
    conversation.close();
    const run = runner.run(ANN, { id, message: "hello" });
    await expect(run.next(), id).rejects.toMatchObject({ code });
  }
});
