import { expect, it } from "vitest";
import { runInProcess } from "../cli/run-in-process.ts";
import { openServer, type TestServer } from "../http/open-server.ts";

const ANN = { owner: "ann", actor: "ann", interface: "library", trace_id: null } as const;

/** Two sessions with a question each. The ids of both questions start alike. */
async function ask(server: TestServer) {
  const asked: string[] = [];
  for (const id of ["tidy-up", "migrate"]) {
    await server.service.call("create", { agent_name: "a", session_id: id }, ANN);
    const question = { id, title: `Go on with ${id}?` };
    asked.push((await server.service.call("request_approval", question, ANN)).approval_id);
  }
  return asked;
}

const partsOf = (id: string) => [
  id.slice(0, 8),
  id.slice(0, 1),
  id.slice(0, -1),
  id.slice(-8),
  id.toUpperCase(),
];

it("no part of a question's id names it: library, REST and GraphQL", async () => {
  const server = await openServer();
  const [first = "", second = ""] = await ask(server);
  await server.ask("POST", `/approvals/${first}`, { body: { decision: "approved" } });
  for (const part of partsOf(second)) {
    const decided = { approval_id: part, decision: "approved" };
    await expect(server.service.call("decide_approval", decided, ANN)).rejects.toMatchObject({
      code: "approval_not_found",
    });
    const answered = { approval_id: part, answer: "abort" };
    await expect(server.service.call("answer_recovery", answered, ANN)).rejects.toMatchObject({
      code: "approval_not_found",
    });
    const posted = await server.ask("POST", `/approvals/${part}`, {
      body: { decision: "approved" },
    });
    expect([part, posted.status]).toEqual([part, 404]);
    const query = `mutation { decideApproval(approvalId: "${part}", decision: APPROVED) { decision } }`;
    const { json } = await server.ask("POST", "/graphql", { body: { query } });
    expect(json).toMatchObject({ errors: [{ extensions: { code: "approval_not_found" } }] });
  }
  const { approvals } = await server.service.call("list_approvals", {}, ANN);
  expect(approvals).toMatchObject([{ approval_id: second }]);
});

it("a question of another person is not found by its last digits", async () => {
  const server = await openServer();
  const [mine = ""] = await ask(server);
  const other = { owner: "bob", actor: "bob", interface: "cli", trace_id: null } as const;
  await expect(
    server.service.call("decide_approval", { approval_id: mine, decision: "approved" }, other),
  ).rejects.toMatchObject({ code: "approval_not_found" });
  // The command line of this machine works for one owner, too.
  const refused = await runInProcess(server.home, ["approve", mine.slice(-8)], true);
  expect(JSON.parse(refused.stdout)).toMatchObject({ error: "approval_not_found" });
});
