import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import driver from "better-sqlite3/package.json" with { type: "json" };
import { folderBytes } from "../folder-bytes.ts";
import { median, sliceRate } from "../measurements.ts";
import { filterOf, seededSessions } from "../seeded-sessions.ts";
import { turnText } from "../turn-text.ts";

const window = 200;
const forkedTurns = 500;
const calls = 25;

const [turns, sessions] = process.argv.slice(2).map(Number);
const root = mkdtempSync(join(tmpdir(), "belay-bench-peer-"));
try {
  process.stdout.write(JSON.stringify(await measure()));
} finally {
  rmSync(root, { recursive: true, force: true });
}

async function measure() {
  // First, because it also warms the code up that the appends are timed in.
  const listMs = await measureList();
  const folder = mkdtempSync(join(root, "growth-"));
  const saver = SqliteSaver.fromConnString(join(folder, "langgraph.db"));
  const growing = thread("session");
  const times = [];
  const resumeMs = [];
  for (let turn = 1; turn <= turns; turn++) {
    times.push(await elapsedMs(() => growing.append(saver, turn)));
    if (turn === 50 || turn === 500 || turn === turns) {
      resumeMs.push({
        turns: turn,
        ms: median(await eachMs(() => resume(saver, "session", turn))),
      });
    }
  }
  saver.db.pragma("wal_checkpoint(TRUNCATE)");
  const bytesPerTurn = folderBytes(folder) / turns;

  const parent = thread("parent");
  for (let turn = 1; turn <= forkedTurns; turn++) await parent.append(saver, turn);
  const forks = await eachMs((call) => fork(saver, "parent", `child-${call}`));
  const pragmas = settings(saver);
  saver.db.close();

  return {
    note: `Node ${process.versions.node}, better-sqlite3 ${driver.version} (12, which it asks for, aborts here: nodejs/node#65446), ${pragmas}`,
    appendRate: sliceRate(times.slice(0, window)),
    slowdown: sliceRate(times.slice(0, window)) / sliceRate(times.slice(-window)),
    bytesPerTurn,
    resumeMs,
    listMs,
    forkMs: median(forks),
  };
}

/** A store of its own: a list reads every checkpoint there is, and 2,000 growing ones are not what is asked. */
async function measureList() {
  const saver = SqliteSaver.fromConnString(join(root, "list.db"));
  const seeded = { count: sessions, agents: 2 };
  saver.setup();
  saver.db.exec("BEGIN");
  for (const { session, agent, status } of seededSessions(seeded)) {
    await thread(session, { agent, status }).append(saver, 1);
  }
  saver.db.exec("COMMIT");
  const times = await eachMs(async (call) => {
    const { status, agent, limit } = filterOf(call, seeded);
    const listed = await Array.fromAsync(
      saver.list({ configurable: {} }, { filter: { status, agent }, limit }),
    );
    if (listed.length !== limit) throw new Error(`listed ${listed.length} of ${limit}`);
  });
  saver.db.close();
  return median(times);
}

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

async function resume(saver, threadId, turns) {
  const tuple = await saver.getTuple({ configurable: { thread_id: threadId } });
  const { messages } = tuple.checkpoint.channel_values;
  if (messages.length !== turns) throw new Error(`resumed ${messages.length} of ${turns} turns`);
}

async function fork(saver, parent, child) {
  const tuple = await saver.getTuple({ configurable: { thread_id: parent } });
  await saver.put({ configurable: { thread_id: child } }, tuple.checkpoint, tuple.metadata);
}

function settings(saver) {
  const level = saver.db.pragma("synchronous", { simple: true });
  return `synchronous=${["OFF", "NORMAL", "FULL", "EXTRA"][level]} as shipped`;
}

async function elapsedMs(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function eachMs(work) {
  const times = [];
  for (let call = 0; call < calls; call++) times.push(await elapsedMs(() => work(call)));
  return times;
}
