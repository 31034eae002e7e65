import { expect, it } from "vitest";
import { recordOf } from "../serve/server-process.ts";
import { openServer } from "./open-server.ts";

it("a checkpoint is found by its id alone, within its owner's sessions", async () => {
  const { ask, tokens } = await openServer();
  await ask("POST", "/sessions", { body: { agent_name: "a", session_id: "paper-1" } });
  const body = { name: "tests_passing", state: { passed: 12 } };
  const saved = recordOf((await ask("POST", "/sessions/paper-1/checkpoints", { body })).json);
  // Another one with the same name does not replace it.
  const twin = { body: { name: saved.checkpoint_id, state: {} } };
  await ask("POST", "/sessions/paper-1/checkpoints", twin);
  const suspended = recordOf((await ask("POST", "/sessions/paper-1/suspend")).json);
  const show = (id: unknown, token?: string) =>
    ask("GET", `/checkpoints/${id}`, token === undefined ? {} : { token });
  expect(await show(saved.checkpoint_id)).toMatchObject({ status: 200, json: saved });
  expect(await show(suspended.checkpoint_id)).toMatchObject({
    status: 200,
    json: { checkpoint_id: suspended.checkpoint_id },
  });
  for (const refused of [
    await show(saved.checkpoint_id, tokens.bob.admin),
    await show("tests_passing"),
  ]) {
    expect(refused).toMatchObject({ status: 404, json: { error: "checkpoint_not_found" } });
  }
});
