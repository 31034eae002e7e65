import { basename, dirname, join } from "node:path";
import { isRecord } from "../../contract/is-record.ts";
import { readFile } from "../../files/read-file.ts";
import type { Conversation, ReportDamage } from "../../import/conversation.ts";
import { recordIn, textIn, timeIn } from "../../import/fields.ts";
import { findBranches } from "../../import/find-branches.ts";
import { firstLine } from "../../import/first-line.ts";
import { RecordChain } from "../../import/record-chain.ts";
import type { Fields } from "../../import/record-file.ts";
import { contextOf, cursorItems, promptText } from "./cursor-items.ts";
import { CursorStore } from "./cursor-store.ts";

/** A message of a store, which is stored once however often it occurs. */
interface Stored {
  readonly id: string;
  readonly isPrompt: boolean;
}

/** The conversation in a `store.db` of Cursor's command line. */
export async function* readChat(
  path: string,
  modified_at: number,
  report: ReportDamage,
): AsyncGenerator<Conversation> {
  const store = await CursorStore.open(path);
  try {
    const about = { ...store.about(report), ...readAbout(path) };
    const messages: Stored[] = [];
    let cwd = textIn(about.workspacePath);
    let prompt: string | null = null;
    let model = textIn(about.lastUsedModel);
    store.scan(report, (id, message) => {
      const { role } = message;
      if (role !== "user" && role !== "assistant" && role !== "tool") return;
      const context = contextOf(message);
      if (context) {
        cwd ??= context.cwd;
        return;
      }
      const isPrompt = role === "user";
      if (isPrompt) prompt ??= promptText(message);
      const { cursor } = recordIn(message.providerOptions);
      model ??= textIn(recordIn(cursor).modelName);
      messages.push({ id, isPrompt });
    });
    if (messages.length === 0) return;
    const { chain, last } = arrange(messages, store.namedBy(textIn(about.latestRootBlobId)));
    const time = Math.round(modified_at);
    yield {
      id: textIn(about.agentId) ?? basename(dirname(path)),
      title: textIn(about.title) ?? textIn(about.name) ?? firstLine(prompt),
      cwd,
      git_branch: null,
      started_at: timeIn(about.createdAtMs) ?? timeIn(about.createdAt) ?? time,
      updated_at: time,
      agent: { name: "cursor", session_id: null },
      parent: null,
      metadata: model === null ? {} : { cursor_model: model },
      branches: (stored) =>
        findBranches(
          chain.nodes,
          stored,
          function* (ids) {
            for (const id of ids) yield* cursorItems(store.message(id));
          },
          last,
        ),
    };
  } finally {
    store.close();
  }
}

/**
 * The newest state of a conversation names the current messages in order. Earlier messages were summarized and come
 * first. A later prompt that it does not name was withdrawn: it starts a branch.
 */
function arrange(messages: readonly Stored[], named: readonly string[]) {
  const chain = new RecordChain<string>();
  const kindOf = ({ isPrompt }: Stored) => (isPrompt ? "prompt" : "answer");
  const byId = new Map(messages.map((message) => [message.id, message]));
  const counting = named.flatMap((id) => byId.get(id) ?? []);
  const isNamed = new Set(counting.map(({ id }) => id));
  const first = messages.findIndex(({ id }) => isNamed.has(id));
  for (const message of first < 0 ? messages : messages.slice(0, first)) {
    chain.add(message.id, kindOf(message), message.id);
  }
  const times = new Map<string, number>();
  for (const message of counting) {
    const nth = (times.get(message.id) ?? 0) + 1;
    times.set(message.id, nth);
    const name = nth === 1 ? message.id : `${message.id}-${nth}`;
    chain.add(name, kindOf(message), message.id);
  }
  const { last } = chain;
  let before: string | null = null;
  let isBranch = false;
  for (const message of first < 0 ? [] : messages.slice(first)) {
    if (isNamed.has(message.id)) [before, isBranch] = [message.id, false];
    else if (isBranch || message.isPrompt) {
      chain.add(message.id, kindOf(message), message.id, isBranch ? chain.last : before);
      isBranch = true;
    }
  }
  return { chain, last };
}

/** The file next to a store with its title and times. */
function readAbout(path: string): Fields {
  try {
    const bytes = readFile(join(dirname(path), "meta.json"), { most: 64 * 1024 });
    const value: unknown = JSON.parse(bytes?.toString("utf8") ?? "{}");
    return isRecord(value) ? value : {};
  } catch {
    // The conversation is complete without it.
    return {};
  }
}
