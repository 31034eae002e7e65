import { hash } from "node:crypto";
import { join } from "node:path";
import type { Conversation, Item } from "../../import/conversation.ts";
import { countIn, listIn, plainText, recordIn, textIn, timeIn } from "../../import/fields.ts";
import { findBranches } from "../../import/find-branches.ts";
import { firstLine } from "../../import/first-line.ts";
import type { ConversationReader } from "../../import/import-conversations.ts";
import { readWholeRecords } from "../../import/read-whole-records.ts";
import { RecordChain } from "../../import/record-chain.ts";
import type { Fields } from "../../import/record-file.ts";
import type { DocumentShape } from "../../import/salvage-document.ts";

/** Reads trajectories of the Agent Trajectory Interchange Format (ATIF), with those of their sub-agents. */
export const atifTrajectories: ConversationReader = {
  tool: "atif",
  home: (_, userHome) => join(userHome, "trajectories"),
  async *read(path, report) {
    for await (const record of readWholeRecords(path, report, SHAPE)) {
      if (!/^ATIF-v1/.test(textIn(record.schema_version) ?? "")) {
        report({ file: path, line: 1, why: "not a trajectory of ATIF version 1" });
        continue;
      }
      yield* trajectory(record, `atif-${hash("sha256", path).slice(0, 24)}`, null);
    }
  },
};

const SHAPE: DocumentShape = {
  ...{ whole: ["schema_version", "steps"], part: ["step_id", "source"], list: "steps" },
  rebuild: (header, parts, name) => ({
    ...{ schema_version: "ATIF-v1", session_id: name },
    ...header,
    steps: parts,
  }),
};

function* trajectory(record: Fields, name: string, parent: string | null): Generator<Conversation> {
  const steps = listIn(record.steps).map(recordIn);
  const id = textIn(record.session_id) ?? textIn(record.trajectory_id) ?? name;
  const agent = recordIn(record.agent);
  const chain = new RecordChain<Fields>();
  for (const [nth, step] of steps.entries()) {
    // The name includes a digest, because several trajectories may have the same session id.
    const said = hash("sha256", JSON.stringify([step.source, step.message, step.timestamp]));
    chain.add(
      `step-${nth + 1}-${said.slice(0, 8)}`,
      step.source === "user" ? "prompt" : "answer",
      step,
    );
  }
  const times = steps.flatMap(({ timestamp }) => timeIn(timestamp) ?? []);
  const prompt = steps.find(({ source }) => source === "user");
  if (steps.length > 0) {
    yield {
      id: parent === null ? id : `${parent}.${hash("sha256", id).slice(0, 8)}`,
      title: prompt ? firstLine(plainText(prompt.message)) : null,
      cwd: null,
      git_branch: null,
      started_at: times[0] ?? null,
      updated_at: times.length > 0 ? Math.max(...times) : null,
      agent: { name: textIn(agent.name) ?? "atif", session_id: null },
      parent: parent === null ? null : { id: parent, call: null },
      metadata: {},
      branches: (stored) =>
        findBranches(chain.nodes, stored, function* (each) {
          for (const step of each) yield* itemsOf(step, chain.nodes.at(-1)?.ref === step);
        }),
    };
  }
  for (const [nth, sub] of listIn(record.subagent_trajectories).map(recordIn).entries()) {
    yield* trajectory(sub, `${name}.${nth}`, id);
  }
}

function* itemsOf(step: Fields, isLast: boolean): Generator<Item> {
  const at = timeIn(step.timestamp);
  const text = plainText(step.message);
  if (step.source === "user") {
    yield { kind: "prompt", at, text };
    return;
  }
  const thought = textIn(step.reasoning_content);
  if (thought !== null) yield { kind: "said", at, as: "thought", text: thought };
  if (text !== "")
    yield { kind: "said", at, as: step.source === "agent" ? "message" : "note", text };
  for (const call of listIn(step.tool_calls).map(recordIn)) {
    const id = textIn(call.tool_call_id);
    const name = textIn(call.function_name) ?? "tool";
    if (id !== null) yield { kind: "called", at, id, name, input: call.arguments };
  }
  for (const result of listIn(recordIn(step.observation).results).map(recordIn)) {
    const id = textIn(result.source_call_id);
    const output = plainText(result.content);
    if (id !== null) yield { kind: "returned", at, id, failed: false, output };
    else if (output !== "") yield { kind: "said", at, as: "note", text: output };
  }
  const { prompt_tokens, completion_tokens, cost_usd } = recordIn(step.metrics);
  const usage = {
    input_tokens: countIn(prompt_tokens),
    output_tokens: countIn(completion_tokens),
    cost_usd: countIn(cost_usd),
  };
  if (usage.input_tokens + usage.output_tokens + usage.cost_usd > 0)
    yield { kind: "used", at, usage };
  if (isLast) yield { kind: "ended", at, outcome: "completed", error: null };
}
