import { expect, it } from "vitest";
import { OPERATIONS, type OperationName } from "../../src/contract/operations.ts";
import { LEAST_ROLE } from "../../src/core/shares.ts";
import { as, HOUR, onMemory } from "../service/on-memory.ts";

const CANARY = "canary-of-the-session";
const bob = { ...as("bob", "api"), scope: "write" } as const;

/** Every query that shows a shared session, in each way in which it can name the session or leave it out. */
const READS: Partial<Record<OperationName, readonly object[]>> = {
  get: [],
  turns: [],
  log: [],
  export: [],
  list_checkpoints: [],
  show_checkpoint: [
    { id: "ann/ann-1", name: CANARY },
    { id: "ann", name: CANARY },
  ],
  list_artifacts: [],
  should_resume: [],
  resume_plan: [],
  list_approvals: [{}, { limit: 1 }, { decided: true }, { id: "ann/ann-1" }],
  timeline: [{ entity_id: "T-1" }, { entity_id: "ann/ann-1" }],
  spans: [{ entity_id: "T-1" }, { entity_id: "ann/ann-1" }],
  history: [{}, { session_id: "ann/ann-1" }, { session_id: "ann" }],
  events: [{}],
  list: [{}, { task_id: "T-1" }, { search: "report" }],
  count: [{}],
};
/** They show sessions as lines of a list, or as numbers. */
const LISTS: readonly string[] = ["list", "count"];
const BY_ID = [{ id: "ann/ann-1" }, { id: "ann/an" }, { id: "ann" }];

it("every answer with the content of a shared session leaves one entry per person and hour", async () => {
  const lab = await prepare();
  const seen = async () => {
    const { events } = await lab.service.call("audit", { what: "saw", limit: 10_000 }, lab.caller);
    return events.map(({ type, actor }) => [type, actor]);
  };
  for (const [name, inputs] of Object.entries(READS).filter(isRead)) {
    for (const input of inputs.length > 0 ? inputs : BY_ID) {
      lab.advance(25 * HOUR);
      const answers = [];
      for (let n = 0; n < 2; n += 1) {
        answers.push(JSON.stringify(await lab.service.call(name, input, bob)));
      }
      const isList = LISTS.includes(name);
      const entries = isList ? [] : [["session.seen", "person:bob"]];
      expect([name, input, await seen()]).toEqual([name, input, entries]);
      // Lists show no content; the others would be no test of an entry without it.
      const hasContent = answers.every((answer) => answer.includes(CANARY));
      expect([name, input, hasContent]).toEqual([name, input, !isList && !PLAIN.includes(name)]);
    }
  }
});

/** It shows facts about the session itself. */
const PLAIN: readonly string[] = ["resume_plan"];

it("the reads of this file are all queries of the table of roles", () => {
  const queries = Object.entries(OPERATIONS)
    .filter(([, { kind }]) => kind === "query")
    .map(([name]) => name);
  const shown = Object.entries(LEAST_ROLE).flatMap(([name, role]) =>
    role !== null && queries.includes(name) ? [name] : [],
  );
  expect(Object.keys(READS).toSorted()).toEqual(shown.toSorted());
});

it("a person's own sessions and those of others leave no entry", async () => {
  const { service, caller } = await prepare();
  await service.call("unshare", { id: "ann-1", with: "bob" }, caller);
  await service.call("create", { agent_name: "a", session_id: "bob-1" }, bob);
  for (const name of ["list_approvals", "history", "events"] as const) {
    expect(JSON.stringify(await service.call(name, {}, bob))).not.toContain(CANARY);
  }
  const { events } = await service.call("audit", { what: "saw" }, caller);
  expect(events).toEqual([]);
});

/** A session of ann with content of every kind, which bob may read. */
async function prepare() {
  const lab = onMemory();
  const { service, caller } = lab;
  const id = "ann-1";
  await service.call("add_person", { name: "bob" }, caller);
  const session = { agent_name: "a", session_id: id, title: "report", task_id: "T-1" };
  await service.call("create", session, caller);
  await service.call("record_turn", { id, input: CANARY, output: CANARY }, caller);
  const action = { id, type: "build", details: { title: CANARY } };
  const { action_id } = await service.call("begin_action", action, caller);
  const done = { id, action_id, result: "success", details: { title: CANARY } } as const;
  await service.call("complete_action", done, caller);
  await service.call("save_checkpoint", { id, name: CANARY, state: { of: CANARY } }, caller);
  await service.call("record_artifact", { id, name: CANARY }, caller);
  const { approval_id } = await service.call("request_approval", { id, title: CANARY }, caller);
  await service.call("decide_approval", { approval_id, decision: "approved" }, caller);
  await service.call("request_approval", { id, title: CANARY }, caller);
  await service.call("share", { id, with: "bob" }, caller);
  return lab;
}

function isRead(entry: [string, readonly object[]]): entry is [OperationName, readonly object[]] {
  return Object.hasOwn(OPERATIONS, entry[0]);
}
