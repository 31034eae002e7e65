import { expect, it } from "vitest";
import { openServer } from "../http/open-server.ts";

const ANN = { owner: "ann", actor: "ann", interface: "library", trace_id: null } as const;

it("an open conversation whose session was purged changes no session whose id starts the same", async () => {
  const { service, runner } = await openServer();
  await service.call("create", { agent_name: "demo", session_id: "run-1" }, ANN);
  const conversation = await runner.converse(ANN, { id: "run-1" });
  await service.call("delete", { id: "run-1" }, ANN);
  await service.call("purge", { id: "run-1" }, ANN);
  await service.call("create", { agent_name: "demo", session_id: "run-10" }, ANN);
  const before = await service.call("get", { id: "run-10" }, ANN);
  for (const attempt of [
    () => conversation.complete(),
    () => conversation.suspend(),
    () => conversation.interrupt(),
    () => conversation.send("hello"),
    () => conversation.resume(),
  ]) {
    await expect(attempt()).rejects.toMatchObject({ code: "session_not_found" });
  }
  conversation.close();
  expect(await service.call("get", { id: "run-10" }, ANN)).toEqual(before);
});
