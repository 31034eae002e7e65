import { basename, join } from "node:path";
import type { Item } from "../../import/conversation.ts";
import { countIn, listIn, recordIn, textIn, timeIn } from "../../import/fields.ts";
import type { TreeNode } from "../../import/find-branches.ts";
import { findBranches } from "../../import/find-branches.ts";
import { firstLine } from "../../import/first-line.ts";
import type { ConversationReader } from "../../import/import-conversations.ts";
import type { Fields, RecordPosition } from "../../import/record-file.ts";
import { RecordFile } from "../../import/record-file.ts";

/** Reads the chats of Qwen Code: records that name their predecessor, with contents like Gemini's. */
export const qwenChats: ConversationReader = {
  tool: "qwen",
  home: (env, userHome) => join(env.QWEN_HOME || join(userHome, ".qwen"), "projects"),
  async *read(path, report) {
    const file = new RecordFile(path);
    try {
      const nodes: TreeNode<RecordPosition>[] = [];
      const known = new Set<string>();
      let first: Fields | null = null;
      let prompt: string | null = null;
      let title: string | null = null;
      let updated_at: number | null = null;
      await file.scan(report, (record, place) => {
        const id = textIn(record.uuid);
        if (id === null || known.has(id)) return;
        first ??= record;
        known.add(id);
        const kind = kindOf(record);
        if (kind === "prompt") prompt ??= textOf(record);
        if (record.subtype === "custom_title") {
          title = textIn(recordIn(record.systemPayload).title) ?? title;
        }
        updated_at = Math.max(updated_at ?? 0, timeIn(record.timestamp) ?? 0) || null;
        const named = textIn(record.parentUuid);
        // If its previous record is lost, it follows the remaining ones.
        const isLost = named !== null && !known.has(named);
        if (isLost) {
          const why = `the record before it, ${named}, is missing`;
          report({ file: path, line: place.line, why });
        }
        const parent = isLost ? (nodes.at(-1)?.id ?? null) : named;
        nodes.push({ id, parent, kind, group: null, ref: place });
      });
      if (nodes.length === 0) return;
      const origin = recordIn(first);
      const agent = textIn(origin.agentId);
      const session = textIn(origin.sessionId) ?? basename(path, ".jsonl");
      const isSub = agent !== null && origin.isSidechain === true;
      const forked = textIn(recordIn(origin.forkedFrom).sessionId);
      yield {
        id: isSub ? `${session}.${agent}` : session,
        title: title ?? firstLine(prompt),
        cwd: textIn(origin.cwd),
        git_branch: textIn(origin.gitBranch),
        started_at: timeIn(origin.timestamp),
        updated_at,
        agent: { name: "qwen", session_id: isSub ? null : session },
        parent: isSub ? { id: session, call: null } : null,
        metadata: forked === null ? {} : { forked_from: forked },
        branches: (stored) =>
          findBranches(nodes, stored, function* (places) {
            for (const place of places) yield* itemsOf(file.read(place));
          }),
      };
    } finally {
      file.close();
    }
  },
};

function kindOf(record: Fields): TreeNode<unknown>["kind"] {
  switch (record.type) {
    case "user":
      return textOf(record) === "" ? "none" : "prompt";
    case "assistant":
      return "answer";
    case "tool_result":
      return "result";
    case "system":
      return record.subtype === "chat_compression" ? "answer" : "none";
    default:
      return "none";
  }
}

function partsOf(record: Fields): readonly Fields[] {
  return listIn(recordIn(record.message).parts).map(recordIn);
}

function textOf(record: Fields): string {
  return partsOf(record)
    .flatMap(({ text, thought }) => (typeof text === "string" && thought !== true ? [text] : []))
    .join("\n");
}

function* itemsOf(record: Fields): Generator<Item> {
  const at = timeIn(record.timestamp);
  if (record.type === "user") {
    yield { kind: "prompt", at, text: textOf(record) };
    return;
  }
  if (record.type === "system") {
    const id = textIn(record.uuid) ?? "compressed";
    yield { kind: "compacted", at, id, summary: JSON.stringify(record.systemPayload ?? {}) };
    return;
  }
  let calls = 0;
  for (const part of partsOf(record)) {
    const text = textIn(part.text);
    if (text !== null)
      yield { kind: "said", at, as: part.thought === true ? "thought" : "message", text };
    const call = recordIn(part.functionCall);
    const name = textIn(call.name);
    if (name !== null) {
      calls += 1;
      yield { kind: "called", at, id: textIn(call.id) ?? name, name, input: call.args };
    }
    const { id, name: of, response } = recordIn(part.functionResponse);
    const answered = textIn(id) ?? textIn(of);
    if (answered !== null) {
      const told = recordIn(response);
      const failed =
        textIn(told.error) !== null || recordIn(record.toolCallResult).status === "error";
      const output = textIn(told.output) ?? textIn(told.error) ?? JSON.stringify(response ?? "");
      yield { kind: "returned", at, id: answered, failed, output };
    }
  }
  if (record.type !== "assistant") return;
  const { promptTokenCount, candidatesTokenCount, thoughtsTokenCount } = recordIn(
    record.usageMetadata,
  );
  const usage = {
    input_tokens: countIn(promptTokenCount),
    output_tokens: countIn(candidatesTokenCount) + countIn(thoughtsTokenCount),
    cost_usd: 0,
  };
  if (usage.input_tokens + usage.output_tokens > 0) yield { kind: "used", at, usage };
  if (calls === 0) yield { kind: "ended", at, outcome: "completed", error: null };
}
