import { join } from "node:path";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import driver from "better-sqlite3/package.json" with { type: "json" };
import { turnText } from "../turn-text.ts";
import { measurePeer } from "./measure-peer.mjs";

await measurePeer(async (folder) => {
  const saver = SqliteSaver.fromConnString(join(folder, "langgraph.db"));
  const threads = new Map();
  return {
    append(id, turn) {
      if (!threads.has(id)) threads.set(id, thread(id));
      return threads.get(id).append(saver, turn);
    },
    async resume(id, turns) {
      const tuple = await saver.getTuple({ configurable: { thread_id: id } });
      const { messages } = tuple.checkpoint.channel_values;
      if (messages.length !== turns) throw new Error(`resumed ${messages.length} of ${turns}`);
    },
    async fork(parent, child) {
      const tuple = await saver.getTuple({ configurable: { thread_id: parent } });
      await saver.put({ configurable: { thread_id: child } }, tuple.checkpoint, tuple.metadata);
    },
    async seed(sessions) {
      saver.setup();
      saver.db.exec("BEGIN");
      for (const { session, agent, status } of sessions) {
        await thread(session, { agent, status }).append(saver, 1);
      }
      saver.db.exec("COMMIT");
    },
    async list({ status, agent, limit }) {
      const found = saver.list({ configurable: {} }, { filter: { status, agent }, limit });
      return (await Array.fromAsync(found)).length;
    },
    checkpoint: () => saver.db.pragma("wal_checkpoint(TRUNCATE)"),
    describe() {
      const level = saver.db.pragma("synchronous", { simple: true });
      const pragmas = `synchronous=${["OFF", "NORMAL", "FULL", "EXTRA"][level]} as shipped`;
      return `better-sqlite3 ${driver.version} (12, which it asks for, aborts here: nodejs/node#65446), ${pragmas}`;
    },
    close: () => saver.db.close(),
  };
});

/** A thread as a graph with one list channel of messages leaves it: one checkpoint per turn, put whole. */
function thread(threadId, metadata = {}) {
  const messages = [];
  let config = { configurable: { thread_id: threadId, checkpoint_ns: "" } };
  return {
    async append(saver, turn) {
      const Message = turn % 2 === 0 ? AIMessage : HumanMessage;
      messages.push(new Message(turnText(turn)));
      const checkpoint = {
        ...emptyCheckpoint(),
        id: uuid6(turn),
        channel_values: { messages },
        channel_versions: { messages: turn },
      };
      const about = { source: "loop", step: turn, parents: {}, ...metadata };
      config = await saver.put(config, checkpoint, about);
    },
  };
}
