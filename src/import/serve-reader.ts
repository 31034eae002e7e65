import { dirname } from "node:path";
import { IMPORT_FILES } from "../contract/vocabulary.ts";
import { boundItem, shortId } from "./bound-item.ts";
import type { Branch, Conversation, Item } from "./conversation.ts";
import { findFiles } from "./find-files.ts";
import type { ConversationReader } from "./import-conversations.ts";
import type { FoundObservation } from "./import-observation.ts";
import { limitForUploads } from "./read-limits.ts";
import { type ReaderAnswer, type ReaderReply, ReaderRequest } from "./reader-messages.ts";

const MOST_TOLD = 1000;
/** The branches of one conversation, the turns of one branch, and the turns of all branches together. */
const MOST = { branches: 500, turns: 10_000, all: 100_000 };
const LONGEST_HEADER = 4096;
/** The items of one answer, and the characters of an observation. */
const BATCH = { items: 200, chars: 512 * 1024 };
const LONGEST_OBSERVATION = 1024 * 1024;

interface ServerChannel {
  send(reply: ReaderReply): void;
  hear(listener: (message: unknown) => void): void;
}

/**
 * Reads one upload, and answers the questions of the server that started this process, until that server is gone or has
 * enough. With `redacts`, every text is without secrets.
 */
export async function serveReader(
  reader: ConversationReader,
  file: string,
  redacts: boolean,
  { send, hear }: ServerChannel,
): Promise<never> {
  limitForUploads();
  // Its rules take as much memory as all readers together.
  const redaction = redacts
    ? (await import("../redaction/stored-redaction.ts")).openStoredRedaction()
    : null;
  const clean = <T>(value: T): T => redaction?.value(value) ?? value;
  let damage: ReaderReply["damage"] = [];
  let damaged = 0;
  const report = (each: ReaderReply["damage"][number]): void => {
    damaged += 1;
    if (damage.length < MOST_TOLD) damage.push({ ...each, why: each.why.slice(0, LONGEST_HEADER) });
  };
  const near = () =>
    findFiles(reader.folderOf?.(file) ?? dirname(file), IMPORT_FILES[reader.tool], () => {});
  const found = reader.observations?.(file, report) ?? reader.read(file, report, near);
  const iterator = found[Symbol.asyncIterator]();
  let conversation: Conversation | null = null;
  let branches: readonly Branch[] = [];
  let items: AsyncIterator<Item> | null = null;

  async function next(): Promise<ReaderAnswer> {
    for (;;) {
      const { done, value } = await iterator.next();
      if (done) return { is: "end" };
      if ("observation" in value) {
        const answer = observationOf(value);
        if (answer) return answer;
        continue;
      }
      conversation = value;
      return headerOf(value);
    }
  }

  function observationOf({ line, observation }: FoundObservation): ReaderAnswer | null {
    const json = JSON.stringify(observation);
    if (json.length <= LONGEST_OBSERVATION) {
      return { is: "observation", line, observation: clean({ ...observation }) };
    }
    report({ file, line, why: `longer than ${LONGEST_OBSERVATION} characters` });
    return null;
  }

  function headerOf(found: Conversation): ReaderAnswer {
    const { agent, parent } = found;
    const metadata = Object.entries(clean(found.metadata)).map(([name, value]) => [
      name,
      short(value),
    ]);
    return {
      is: "conversation",
      id: short(found.id),
      title: short(clean(found.title)),
      cwd: short(found.cwd),
      git_branch: short(found.git_branch),
      started_at: found.started_at,
      updated_at: found.updated_at,
      agent: { name: short(agent.name), session_id: short(agent.session_id) },
      parent: parent && { id: short(parent.id), call: short(parent.call) },
      forked_from: short(found.forked_from ?? null),
      metadata: Object.fromEntries(metadata),
    };
  }

  async function listBranches(
    stored: Extract<ReaderRequest, { ask: "branches" }>["stored"],
  ): Promise<ReaderAnswer> {
    branches = (await conversation?.branches(new Map(stored))) ?? [];
    if (branches.length > MOST.branches) throw new Error(`more than ${MOST.branches} branches`);
    let turns = 0;
    for (const branch of branches) {
      turns += branch.turns.length;
      const isTooLong = branch.turns.length > MOST.turns;
      const most = isTooLong ? MOST.turns : turns > MOST.all ? MOST.all : null;
      if (most !== null) throw new Error(`more than ${most} turns in one conversation`);
    }
    return {
      is: "branches",
      branches: branches.map(({ key, turns, from, current }) => ({
        key: short(key),
        turns: turns.map(shortId),
        from: from && { branch: short(from.branch), turns: from.turns },
        current,
      })),
    };
  }

  async function takeItems(): Promise<ReaderAnswer> {
    const taken: Item[] = [];
    for (let chars = 0; items && taken.length < BATCH.items && chars < BATCH.chars; ) {
      const { done, value } = await items.next();
      if (done) return { is: "items", items: taken, more: false };
      const item = boundItem(clean(value));
      taken.push(item);
      chars += JSON.stringify(item).length;
    }
    return { is: "items", items: taken, more: items !== null };
  }

  async function answer(request: ReaderRequest): Promise<ReaderAnswer> {
    switch (request.ask) {
      case "next":
        return next();
      case "branches":
        return listBranches(request.stored);
      case "items":
        items = iterate(branches[request.branch]?.items(request.turn) ?? []);
        return takeItems();
      case "more":
        return takeItems();
    }
  }

  hear((message) => {
    answer(ReaderRequest.parse(message))
      .catch((error: unknown): ReaderAnswer => {
        const why = error instanceof Error ? error.message : String(error);
        return { is: "failed", why: why.slice(0, LONGEST_HEADER) };
      })
      .then((told) => {
        send({ answer: told, damage, damaged });
        [damage, damaged] = [[], 0];
      });
  });
  return new Promise<never>(() => {});
}

async function* iterate(items: Iterable<Item> | AsyncIterable<Item>): AsyncGenerator<Item> {
  yield* items;
}

function short<T extends string | null>(text: T): T | string {
  return typeof text === "string" ? text.slice(0, LONGEST_HEADER) : text;
}
