import { join } from "node:path";
import type { Conversation, Item, ReportDamage } from "../../import/conversation.ts";
import { countIn, plainText, recordIn, textIn, timeIn } from "../../import/fields.ts";
import { findBranches } from "../../import/find-branches.ts";
import { firstLine } from "../../import/first-line.ts";
import type { ConversationReader } from "../../import/import-conversations.ts";
import { RecordChain } from "../../import/record-chain.ts";
import type { Fields, Place } from "../../import/record-file.ts";
import { RecordFile } from "../../import/record-file.ts";
import { openCompressed } from "./open-compressed.ts";

/** Reads the rollouts of Codex: one file per thread, which holds what the model saw and what the screen showed. */
export const codexRollouts: ConversationReader = {
  tool: "codex",
  home: (env, userHome) => env.CODEX_HOME || join(userHome, ".codex"),
  async *read(path, report) {
    const file = path.endsWith(".zst") ? await openCompressed(path, report) : new RecordFile(path);
    try {
      const conversation = await read(file, report);
      if (conversation) yield conversation;
    } finally {
      file.close();
    }
  },
};

interface Seen {
  readonly tag: string;
  readonly place: Place;
  /** Of a rollback. */
  readonly turns: number;
}

async function read(file: RecordFile, report: ReportDamage): Promise<Conversation | null> {
  let meta: Fields | null = null;
  let times: [first: number, last: number] | null = null;
  let prompt: string | null = null;
  const seen: Seen[] = [];
  const tags = new Set<string>();
  await file.scan(report, (record, place) => {
    const payload = recordIn(record.payload);
    if (record.type === "session_meta") meta ??= payload;
    const at = timeIn(record.timestamp);
    if (at !== null) times = [times?.[0] ?? at, Math.max(times?.[1] ?? at, at)];
    const tag = tagOf(record);
    if (tag === null) return;
    tags.add(tag);
    if (prompt === null && (tag === "event:prompt" || tag === "item:prompt")) {
      prompt = promptOf(payload);
    }
    seen.push({ tag, place, turns: countIn(payload.num_turns) });
  });
  const origin = recordIn(meta);
  const id = textIn(origin.id) ?? /([0-9a-f-]{36})(?:_[0-9a-f-]+)?\.jsonl/.exec(file.path)?.[1];
  if (id === undefined || seen.length === 0) return null;
  // Both logs tell of prompts and answers: one of them is enough.
  const ignored = new Set([
    ...(tags.has("event:prompt") ? ["item:prompt", "done:prompt"] : ["done:prompt"]),
    ...(tags.has("item:answer") ? ["event:answer", "done:answer"] : ["done:answer"]),
    ...(tags.has("item:thought") ? ["event:thought"] : []),
  ]);
  if (!tags.has("event:prompt") && !tags.has("item:prompt")) ignored.delete("done:prompt");
  if (!tags.has("event:answer") && !tags.has("item:answer")) ignored.delete("done:answer");
  const chain = new RecordChain<Place>();
  for (const { tag, place, turns } of seen) {
    const name = `${place.line}.${place.nth}`;
    if (tag === "event:rollback") chain.goBackTurns(turns);
    else if (!ignored.has(tag))
      chain.add(name, tag.endsWith(":prompt") ? "prompt" : "answer", place);
  }
  const parent = textIn(origin.parent_thread_id);
  const forked = textIn(origin.forked_from_id);
  const version = textIn(origin.cli_version);
  return {
    id,
    title: firstLine(prompt),
    cwd: textIn(origin.cwd),
    git_branch: textIn(recordIn(origin.git).branch),
    started_at: times?.[0] ?? null,
    updated_at: times?.[1] ?? null,
    agent: { name: "codex", session_id: parent === null ? id : null },
    parent: parent === null ? null : { id: parent, call: null },
    forked_from: forked,
    metadata: {
      ...(version !== null && { codex_version: version }),
      ...(forked !== null && { forked_from: forked }),
    },
    branches: (stored) =>
      findBranches(chain.nodes, stored, function* (places) {
        for (const place of places) yield* itemsOf(file.read(place), place);
      }),
  };
}

/** Which log a record belongs to, and what it tells; null: nothing of the conversation. */
function tagOf(record: Fields): string | null {
  const { type: named, role, item } = recordIn(record.payload);
  // Early versions did not say that a message is one.
  const type = named ?? (typeof role === "string" ? "message" : undefined);
  if (record.type === "compacted") return "item:compacted";
  if (record.type === "response_item") {
    if (type === "message" && role === "user") {
      return INJECTED.test(promptOf(recordIn(record.payload))) ? null : "item:prompt";
    }
    if (type === "message") return role === "assistant" ? "item:answer" : null;
    if (type === "reasoning") return "item:thought";
    return typeof type === "string" && (CALL.test(type) || RESULT.test(type)) ? "item:call" : null;
  }
  if (record.type !== "event_msg") return null;
  switch (type) {
    case "user_message":
      return "event:prompt";
    case "agent_message":
      return "event:answer";
    case "agent_reasoning":
      return "event:thought";
    case "thread_rolled_back":
      return "event:rollback";
    case "token_count":
    case "turn_complete":
    case "task_complete":
    case "turn_aborted":
    case "error":
      return "event:other";
    case "item_completed": {
      const kind = textIn(recordIn(item).type)?.toLowerCase();
      if (kind === "usermessage") return "done:prompt";
      return kind === "agentmessage" ? "done:answer" : null;
    }
    default:
      return null;
  }
}

/** What Codex itself tells the model in the user's name. */
const INJECTED =
  /^<(?:environment_context|user_instructions|turn_aborted|permissions|INSTRUCTIONS)|^# AGENTS\.md/;
const CALL = /_call$/;
const RESULT = /_call_output$/;

function promptOf(payload: Fields): string {
  const item = recordIn(payload.item);
  return textIn(payload.message) ?? plainText(payload.content ?? item.content ?? item.text);
}

function* itemsOf(record: Fields, place: Place): Generator<Item> {
  const payload = recordIn(record.payload);
  const at = timeIn(record.timestamp);
  const tag = tagOf(record);
  if (tag === null) return;
  if (tag.endsWith(":prompt")) yield { kind: "prompt", at, text: promptOf(payload) };
  else if (tag.endsWith(":answer"))
    yield { kind: "said", at, as: "message", text: promptOf(payload) };
  else if (tag.endsWith(":thought")) {
    const text = textIn(payload.text) ?? plainText(payload.summary);
    if (text !== "") yield { kind: "said", at, as: "thought", text };
  } else if (tag === "item:call") yield* callItems(payload, at);
  else if (tag === "item:compacted") {
    const summary = textIn(payload.message) ?? "";
    yield { kind: "compacted", at, id: `compacted-${place.line}`, summary };
  } else yield* eventItems(payload, at);
}

function* callItems(payload: Fields, at: number | null): Generator<Item> {
  const type = textIn(payload.type) ?? "";
  const id = textIn(payload.call_id) ?? textIn(payload.id);
  if (id === null) return;
  if (RESULT.test(type)) {
    const told = recordIn(payload.output);
    const output = textIn(payload.output) ?? plainText(told.content ?? payload.output);
    yield { kind: "returned", at, id, failed: told.success === false, output };
    return;
  }
  const name = textIn(payload.name) ?? type.replace(CALL, "");
  const input = parsed(payload.arguments) ?? payload.input ?? payload.action;
  yield { kind: "called", at, id, name, input };
  // These tell their end in the same record.
  if (type === "web_search_call") {
    yield { kind: "returned", at, id, failed: payload.status === "failed", output: "" };
  }
}

/** Arguments are JSON in a text. */
function parsed(text: unknown): unknown {
  if (typeof text !== "string") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function* eventItems(payload: Fields, at: number | null): Generator<Item> {
  switch (payload.type) {
    case "token_count": {
      const used = recordIn(recordIn(payload.info).last_token_usage);
      const input_tokens = countIn(used.input_tokens);
      const output_tokens = countIn(used.output_tokens);
      if (input_tokens + output_tokens > 0) {
        yield { kind: "used", at, usage: { input_tokens, output_tokens, cost_usd: 0 } };
      }
      return;
    }
    case "turn_aborted":
      yield { kind: "ended", at, outcome: "interrupted", error: null };
      return;
    case "error":
      yield { kind: "said", at, as: "note", text: textIn(payload.message) ?? "error" };
      return;
    default:
      yield { kind: "ended", at, outcome: "completed", error: null };
  }
}
