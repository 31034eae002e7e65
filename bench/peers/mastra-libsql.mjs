import { join } from "node:path";
import { LibSQLStore } from "@mastra/libsql";
import about from "@mastra/libsql/package.json" with { type: "json" };
import { turnText } from "../turn-text.ts";
import { measurePeer } from "./measure-peer.mjs";

await measurePeer(async (folder) => {
  const store = new LibSQLStore({ id: "bench", url: `file:${join(folder, "mastra.db")}` });
  await store.init();
  const memory = await store.getStore("memory");
  const known = new Set();
  return {
    async append(id, turn) {
      if (!known.has(id)) await memory.saveThread({ thread: thread(id, "writer", "active") });
      known.add(id);
      await memory.saveMessages({ messages: [message(id, turn)] });
    },
    async resume(id, turns) {
      await memory.getThreadById({ threadId: id });
      const { messages, total } = await memory.listMessages({
        threadId: id,
        perPage: 50,
        page: 0,
        orderBy: { field: "createdAt", direction: "DESC" },
      });
      if (total !== turns || messages.length !== 50) throw new Error(`resumed ${total}`);
    },
    fork: (sourceThreadId, newThreadId) => memory.cloneThread({ sourceThreadId, newThreadId }),
    async seed(sessions) {
      for (const { session, agent, status } of sessions) {
        await memory.saveThread({ thread: thread(session, agent, status) });
      }
    },
    async list({ status, agent, limit }) {
      const filter = { resourceId: agent, metadata: { status } };
      const { threads } = await memory.listThreads({ filter, page: 0, perPage: limit });
      return threads.length;
    },
    checkpoint: () => store.client.execute("PRAGMA wal_checkpoint(TRUNCATE)"),
    async describe() {
      const { rows } = await store.client.execute("PRAGMA synchronous");
      const level = ["OFF", "NORMAL", "FULL", "EXTRA"][rows[0].synchronous];
      return `@mastra/libsql ${about.version}, synchronous=${level} as shipped`;
    },
    close: () => store.client.close(),
  };
});

function thread(id, resourceId, status) {
  const now = new Date();
  return { id, resourceId, title: id, createdAt: now, updatedAt: now, metadata: { status } };
}

function message(threadId, turn) {
  return {
    id: `${threadId}-${turn}`,
    threadId,
    resourceId: "writer",
    role: turn % 2 === 0 ? "assistant" : "user",
    createdAt: new Date(),
    content: { format: 2, parts: [{ type: "text", text: turnText(turn) }] },
  };
}
