import { expect, it } from "vitest";
import { OPERATIONS, type OperationName } from "../../src/contract/operations.ts";
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

/** A valid input of each operation that closes a session or a part of it, besides the session's id. */
const CLOSING: Partial<Record<OperationName, object>> = {
  update: { phase: "abandoned" },
  finalize: { outcome: "completed" },
  cancel: {},
  archive: {},
  delete: {},
  purge: {},
  set_expiry: { expires_at: "7d" },
  merge: {},
  unshare: { everyone: true },
  revoke_link: { link_id: "01a1de6a-3cff-74a1-8f0e-2b6a9d1c4e5f" },
  // Ends the process that runs the session.
  recover: { force: true },
};

it("the table of operations marks everything that closes", () => {
  const named = Object.keys(OPERATIONS).filter((name) =>
    /^(finalize|cancel|archive|delete|purge|merge|set_expiry|remove_|revoke_|disable_|un(?!delete|pin))/.test(
      name,
    ),
  );
  // These name no session, and take whole ids only.
  const others = ["remove_webhook", "revoke_token", "disable_person"];
  expect([...named, "update", "recover"].toSorted()).toEqual(
    [...Object.keys(CLOSING), ...others].toSorted(),
  );
  const marked = Object.entries(OPERATIONS).filter(([, operation]) => "closes" in operation);
  expect(marked.map(([name]) => name).toSorted()).toEqual(Object.keys(CLOSING).toSorted());
});

it("no part of a session's id names it for an operation that closes: library, REST and GraphQL", async () => {
  const server = await openServer();
  const { service } = server;
  const id = "fix-the-login";
  const { entity_id } = await service.call("create", { agent_name: "a", session_id: id }, ANN);
  await service.call("fork", { id, session_id: "another-way" }, ANN);
  const refused = { error: "session_not_found", details: { matches: [id] } };
  for (const part of ["f", id.slice(0, -1), `ann/${id.slice(0, 5)}`]) {
    for (const name of Object.keys(CLOSING)) {
      if (!isOperation(name)) throw new Error(name);
      const call = service.call(name, { id: part, ...CLOSING[name] }, ANN);
      const error = await call.then(
        () => "done",
        (thrown: { toJSON(): object }) => thrown.toJSON(),
      );
      expect([name, part, error]).toMatchObject([name, part, refused]);
    }
    const into = service.call("merge", { id: "another-way", into: part.replace("ann/", "") }, ANN);
    await expect(into).rejects.toMatchObject({ code: "session_not_found" });
    const path = `/sessions/${encodeURIComponent(part)}`;
    for (const [method, rest, body] of [
      ["DELETE", "", undefined],
      ["PATCH", "", { phase: "completed" }],
      ["POST", "/cancel", {}],
      ["POST", "/archive", {}],
      ["POST", "/complete", {}],
      ["POST", "/fail", {}],
      ["POST", "/merge", {}],
    ] as const) {
      const answer = await server.ask(method, `${path}${rest}`, { body });
      expect([method, rest, answer.json]).toMatchObject([method, rest, refused]);
    }
    const query = `mutation { cancel(sessionId: "${part}") { status } }`;
    const { json } = await server.ask("POST", "/graphql", { body: { query } });
    expect(json).toMatchObject({ errors: [{ extensions: { code: "session_not_found" } }] });
  }
  expect(await service.call("get", { id }, ANN)).toMatchObject({ status: "created", version: 1 });
  // Reading and other changes still take the start, and the entity id is whole.
  await service.call("rename", { id: "fix-", title: "Fix it" }, ANN);
  await service.call("update", { id: "fix-", phase: "planning" }, ANN);
  expect(await service.call("cancel", { id: entity_id }, ANN)).toMatchObject({
    session_id: id,
    status: "cancelled",
  });
});

function isOperation(name: string): name is OperationName {
  return Object.hasOwn(OPERATIONS, name);
}

it("no part of the id of a token, webhook, link or person names it", async () => {
  const { service, home } = await openServer();
  const AT_HOME = { ...ANN, owner: "local" };
  const { id: token } = await service.call("create_token", { name: "ci" }, AT_HOME);
  await service.call("create", { agent_name: "a", session_id: "shown-1" }, AT_HOME);
  const { link_id } = await service.call("add_link", { id: "shown-1" }, AT_HOME);
  await service.call("add_person", { name: "bobby" }, AT_HOME);
  for (const [command, id, error] of [
    [["token", "revoke"], token, "token_not_found"],
    [["webhooks", "remove"], token, "webhook_not_found"],
    [["unshare", "shown-1", "--link"], link_id, "link_not_found"],
    [["people", "disable"], "bobby", "person_not_found"],
    [["agents", "remove"], "bobby", "agent_not_found"],
  ] as const) {
    for (const part of [id.slice(0, -1), id.slice(0, 3), id.slice(-8, -1)]) {
      const { stdout } = await runInProcess(home, [...command, part], true);
      expect([command, part, JSON.parse(stdout)]).toMatchObject([command, part, { error }]);
    }
  }
});
