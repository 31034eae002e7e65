import { expect, it } from "vitest";
import { recordOf, textOf } from "../serve/server-process.ts";
import { openServer } from "./open-server.ts";

it("an approval is shown by its whole id, open and decided, to its owner only", async () => {
  const { ask, tokens } = await openServer();
  await ask("POST", "/sessions", { body: { agent_name: "a", session_id: "asking-1" } });
  const body = { title: "Apply it?", body: "to production" };
  const asked = recordOf((await ask("POST", "/sessions/asking-1/approvals", { body })).json);
  const path = `/approvals/${textOf(asked, "approval_id")}`;
  expect(await ask("GET", path)).toMatchObject({ status: 200, json: asked });
  await ask("POST", path, { body: { decision: "rejected", note: "not on a Friday" } });
  expect(await ask("GET", path)).toMatchObject({
    status: 200,
    json: {
      title: "Apply it?",
      body: "to production",
      answerable: false,
      decided: { decision: "rejected", note: "not on a Friday", interface: "api" },
    },
  });
  expect(await ask("GET", "/approvals?decided=true")).toMatchObject({
    json: { approvals: [{ title: "Apply it?" }] },
  });
  for (const refused of [
    await ask("GET", path, { token: tokens.bob.admin }),
    await ask("GET", path.slice(0, 22)),
  ])
    expect(refused).toMatchObject({ status: 404, json: { error: "approval_not_found" } });
});
