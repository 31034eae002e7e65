import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { emptyCheckpoint, uuid6 } from "@langchain/langgraph-checkpoint";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import saverPackage from "@langchain/langgraph-checkpoint-postgres/package.json" with {
  type: "json",
};
import { turnText } from "../turn-text.ts";

/**
 * LangGraph's PostgreSQL saver: `node langgraph-postgres.mjs URL TURNS`. A thread is as a graph with one list channel of
 * messages leaves it: one checkpoint per turn, put whole. Prints one number per round.
 */
const [url, turns] = process.argv.slice(2);
const ROUNDS = 5;
const FORKED_TURNS = 500;

const saver = PostgresSaver.fromConnString(url);
await saver.setup();
const appends = await measureAppends();
await put("long", messagesUpTo(Number(turns)));
const resumes = await eachMs(async () => {
  const { messages } = (await read("long")).checkpoint.channel_values;
  if (messages.length !== Number(turns)) throw new Error(`resumed ${messages.length} turns`);
});
await put("parent", messagesUpTo(FORKED_TURNS));
const forks = await eachMs(async (round) => {
  const { checkpoint, metadata } = await read("parent");
  const config = { configurable: { thread_id: `child-${round}`, checkpoint_ns: "" } };
  await saver.put(config, checkpoint, metadata, checkpoint.channel_versions);
});
process.stdout.write(JSON.stringify({ version: saverPackage.version, appends, resumes, forks }));
await saver.end();

/** Turns per second of the first hundred turns. */
async function measureAppends() {
  const rates = [];
  let config;
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    for (let turn = 1; turn <= 20; turn++) {
      config = await put("session", messagesUpTo(round * 20 + turn), config);
    }
    rates.push(20_000 / (performance.now() - start));
  }
  return rates;
}

function messagesUpTo(count) {
  return Array.from({ length: count }, (_, index) => {
    const Message = index % 2 === 0 ? HumanMessage : AIMessage;
    return new Message(turnText(index));
  });
}

function put(thread_id, messages, config = { configurable: { thread_id, checkpoint_ns: "" } }) {
  const version = messages.length;
  const checkpoint = {
    ...emptyCheckpoint(),
    id: uuid6(version),
    channel_values: { messages },
    channel_versions: { messages: version },
  };
  const about = { source: "loop", step: version, parents: {} };
  return saver.put(config, checkpoint, about, { messages: version });
}

function read(thread_id) {
  return saver.getTuple({ configurable: { thread_id, checkpoint_ns: "" } });
}

async function eachMs(work) {
  const times = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    await work(round);
    times.push(performance.now() - start);
  }
  return times;
}
