import type { ChildProcess } from "node:child_process";
import type { Branch, Conversation, Item, ReportDamage } from "./conversation.ts";
import type { ConversationReader } from "./import-conversations.ts";
import type { ReaderAnswer } from "./reader-messages.ts";
import { ReaderProcess } from "./reader-process.ts";

/** The most conversations of one upload. */
const MOST_CONVERSATIONS = 20_000;

/**
 * The same reader in a process of its own, for files whose author may want to stop the server: reading them takes no time
 * and no memory of this process, and ends with the signal.
 */
export function readElsewhere(
  reader: ConversationReader,
  start: (file: string) => ChildProcess,
  signal: AbortSignal | undefined,
): ConversationReader {
  async function* answers(file: string, report: ReportDamage) {
    const process = new ReaderProcess(start(file), report, signal);
    try {
      for (let count = 1; ; count += 1) {
        const answer = await process.ask({ ask: "next" });
        if (answer.is === "end") return;
        if (count > MOST_CONVERSATIONS) {
          throw new Error(
            `more than ${MOST_CONVERSATIONS} conversations; the rest is not imported`,
          );
        }
        yield { process, answer };
      }
    } finally {
      process.end();
    }
  }
  return {
    ...reader,
    observations(file, report) {
      // It reads nothing before it is iterated.
      return reader.observations?.(file, () => {}) ? observationsIn(answers(file, report)) : null;
    },
    async *read(file, report) {
      for await (const { process, answer } of answers(file, report)) {
        if (answer.is === "conversation") yield conversationOf(process, answer);
      }
    },
  };
}

type Answers = AsyncIterable<{ readonly process: ReaderProcess; readonly answer: ReaderAnswer }>;

async function* observationsIn(answers: Answers) {
  for await (const { answer } of answers) {
    if (answer.is === "observation") yield answer;
  }
}

function conversationOf(
  process: ReaderProcess,
  { is: _, ...header }: Extract<ReaderAnswer, { is: "conversation" }>,
): Conversation {
  return {
    ...header,
    async branches(stored): Promise<Branch[]> {
      const answer = await process.ask({ ask: "branches", stored: [...stored] });
      if (answer.is !== "branches") throw unexpected(answer);
      return answer.branches.map((branch, nth) => ({
        ...branch,
        items: (turn) => itemsOf(process, nth, turn),
      }));
    },
  };
}

async function* itemsOf(
  process: ReaderProcess,
  branch: number,
  turn: number,
): AsyncGenerator<Item> {
  let answer = await process.ask({ ask: "items", branch, turn });
  for (;;) {
    if (answer.is !== "items") throw unexpected(answer);
    for (const item of answer.items) yield item;
    if (!answer.more) return;
    answer = await process.ask({ ask: "more" });
  }
}

function unexpected({ is }: ReaderAnswer): Error {
  return new Error(`unexpected answer: ${is}`);
}
