import { GraphQLClient } from "graphql-request";
import { describe, expect, it } from "vitest";
import { isRecord } from "../../src/contract/is-record.ts";
import type { OperationName } from "../../src/contract/operations.ts";
import { OPERATIONS } from "../../src/contract/operations.ts";
import { fieldName } from "../../src/doors/graphql/create-schema.ts";
import { FIELDS, isOperation } from "../../src/doors/graphql/fields.ts";
import { begin, openLive } from "../http/streams/live-server.ts";
import { wholeSelection } from "./whole-selection.ts";

/** Arguments with which each operation succeeds, in a possible order. Remembered values are written as `$name`. */
const CALLS: readonly (readonly [OperationName, string])[] = [
  ["add_task", `taskId: "T-1", title: "A task", estHours: 1.5`],
  [
    "create",
    `sessionId: "every-1", agentName: "elsewhere", taskId: "T-1", metadata: {a: [1, null]}, project: {cwd: "/srv"}`,
  ],
  ["get", `sessionId: "every-1"`],
  ["list", `state: CREATED, agentName: "elsewhere", interface: "graphql", limit: 5`],
  ["update", `sessionId: "every-1", phase: PLANNING, metadata: {b: 2}`],
  [
    "record_turn",
    `sessionId: "every-1", input: "a", output: "b", usage: {inputTokens: 1, outputTokens: 2, costUsd: 0.5}`,
  ],
  ["turns", `sessionId: "every-1"`],
  [
    "begin_action",
    `sessionId: "every-1", actionId: "deploy-1", type: "deploy", effects: REMOTE, rollback: [{title: "undo", command: "true"}]`,
  ],
  ["complete_action", `sessionId: "every-1", actionId: "deploy-1", status: FAILED, result: "no"`],
  ["save_checkpoint", `sessionId: "every-1", name: "saved", state: {step: 1}`],
  ["list_checkpoints", `sessionId: "every-1"`],
  ["show_checkpoint", `sessionId: "every-1", name: "saved"`],
  ["restore_checkpoint", `sessionId: "every-1", name: "saved"`],
  ["record_outcome", `sessionId: "every-1", type: "pr", outcomeId: "PR-1"`],
  ["record_artifact", `sessionId: "every-1", name: "plan.md", mediaType: "text/markdown"`],
  ["list_artifacts", `sessionId: "every-1"`],
  ["request_approval", `sessionId: "every-1", title: "May I?"`],
  ["list_approvals", ""],
  ["decide_approval", `approvalId: "$approvalId", decision: APPROVED`],
  ["resume", `sessionId: "every-1"`],
  ["suspend", `sessionId: "every-1", reason: "api_requested"`],
  ["resume_plan", `sessionId: "every-1"`],
  ["should_resume", `sessionId: "every-1"`],
  ["next", ""],
  ["fork", `sessionId: "every-1", newSessionId: "every-2"`],
  ["compare", `sessionId: "every-1", with: "every-2"`],
  ["merge", `sessionId: "every-2", into: "every-1", rule: THEIRS, dryRun: true`],
  ["branches", `sessionId: "every-1"`],
  ["log", `sessionId: "every-1", limit: 3`],
  ["rename", `sessionId: "every-1", title: "New"`],
  ["pin", `sessionId: "every-1"`],
  ["unpin", `sessionId: "every-1"`],
  ["set_expiry", `sessionId: "every-1", expiresAt: "2099-01-01"`],
  ["expiration", ""],
  ["set_expiration", `never: true`],
  ["cancel", `sessionId: "every-2"`],
  ["send_message", `sessionId: "$live", message: "hello"`],
  ["replay", `sessionId: "$live", agent: "demo", send: false`],
  ["handoff", `sessionId: "$live", to: "demo"`],
  ["finalize", `sessionId: "every-1", outcome: COMPLETED, summary: "done"`],
  ["archive", `sessionId: "every-1"`],
  ["delete", `sessionId: "every-1"`],
  ["undelete", `sessionId: "every-1"`],
  ["delete", `sessionId: "every-2"`],
  ["purge", `sessionId: "every-2"`],
  [
    "submit_observation",
    `observation: {session_id: "seen-1", started_at: "2026-01-08T18:05:30Z", actions: [{type: "read", result: "success"}]}`,
  ],
  ["export", `sessionId: "every-1", redact: true, limit: 3`],
  ["history", `limit: 3, orderBy: UPDATED_AT, order: ASC`],
  ["timeline", `entityId: "T-1", startDate: "2026-01-01"`],
  ["spans", `entityId: "T-1", startDate: "2026-01-01", limit: 100`],
  ["audit", `limit: 3`],
  ["events", `limit: 3`],
  ["stats", ""],
  ["count", ""],
  ["cleanup", `hours: 24, dryRun: true`],
  ["recover", `dryRun: true`],
  ["recoveries", ""],
  ["agents", ""],
  ["update_task", `taskId: "T-1", status: "completed"`],
  ["list_tasks", ""],
  ["add_person", `name: "carl"`],
  ["disable_person", `name: "carl"`],
  ["list_people", ""],
  ["whoami", ""],
  ["share", `sessionId: "$live", everyone: true, role: EDITOR`],
  ["unshare", `sessionId: "$live", everyone: true`],
  ["shares", `sessionId: "$live"`],
  ["shared", ""],
  ["preview_link", `sessionId: "$live"`],
  ["add_link", `sessionId: "$live", until: "7d"`],
  ["list_links", `sessionId: "$live"`],
  ["revoke_link", `sessionId: "$live", linkId: "$linkId"`],
  ["create_token", `name: "ci", scope: READ`],
  ["list_tokens", ""],
  ["revoke_token", `tokenId: "$tokenId"`],
  ["list_webhooks", ""],
  ["imports", ""],
];

/** Operations that cannot succeed here, and their refusals. */
const REFUSED: readonly (readonly [OperationName, string, string])[] = [
  ["interrupt", `sessionId: "$live"`, "nothing_to_interrupt"],
  ["answer_recovery", `approvalId: "nobody", answer: ABORT`, "approval_not_found"],
  ["add_webhook", `url: "ftp://nowhere", on: [SESSION_FAILED]`, "invalid_input"],
  ["accept_webhook", `name: "No Name", preset: JSON, agentName: "a"`, "invalid_input"],
  ["remove_webhook", `webhook: "nobody"`, "webhook_not_found"],
  ["test_webhook", `webhook: "nobody"`, "webhook_not_found"],
  ["webhook_deliveries", `webhook: "nobody"`, "webhook_not_found"],
  ["import_conversations", `tool: CODEX, path: "/etc", dryRun: true`, "not_allowed"],
];

describe("every operation", () => {
  it("is available in GraphQL, with all its output", async () => {
    // The files on the machine are of the user who runs the server.
    const server = await openLive({ owner: "ann" });
    const remembered = new Map([["live", await begin(server)]]);
    const client = new GraphQLClient(`${server.url}/graphql`, {
      headers: { authorization: `Bearer ${server.tokens.ann.admin}` },
      errorPolicy: "all",
    });
    for (const [operation, args] of CALLS) {
      const { data, errors } = await client.rawRequest(write(operation, args, remembered));
      expect([operation, errors]).toEqual([operation, undefined]);
      const answer = isRecord(data) ? data[fieldName(operation, FIELDS[operation])] : undefined;
      expect(answer, operation).toBeTypeOf("object");
      expect(answer, operation).not.toBeNull();
      if (!isRecord(answer)) continue;
      if (typeof answer.approvalId === "string") remembered.set("approvalId", answer.approvalId);
      if (operation === "add_link") remembered.set("linkId", String(answer.linkId));
      if (operation === "create_token") remembered.set("tokenId", String(answer.id));
      if (operation === "send_message") {
        expect(answer).toMatchObject({ status: "completed", input: "hello" });
        expect(answer.output).not.toBe("");
      }
    }
    for (const [operation, args, code] of REFUSED) {
      const answered = await client.rawRequest(write(operation, args, remembered));
      const codes = answered.errors?.map(({ extensions }) => extensions.code);
      expect([operation, codes]).toEqual([operation, [code]]);
    }
    const done = [...CALLS, ...REFUSED].map(([operation]) => operation);
    const names = Object.keys(OPERATIONS).filter(isOperation);
    expect(names.filter((name) => !done.includes(name))).toEqual([]);
  });
});

function write(
  operation: OperationName,
  args: string,
  remembered: ReadonlyMap<string, string>,
): string {
  const kind = OPERATIONS[operation].kind === "query" ? "query" : "mutation";
  const name = fieldName(operation, FIELDS[operation]);
  const given = args.replaceAll(/\$(\w+)/g, (_, key) => remembered.get(key) ?? "");
  const selection = wholeSelection(kind, name);
  return `${kind} { ${name}${given === "" ? "" : `(${given})`} ${selection} }`;
}
