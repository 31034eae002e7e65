import { setTimeout as pause } from "node:timers/promises";
import { processesMarked, until } from "../../run/run-parts.ts";
import type { Campaign, LongTurn } from "./campaign.ts";

/** Seconds until a silent node loses its leases. */
export const LEASE = 3;
/** Longer than that, in milliseconds. */
const LONG = LEASE * 1000 + 1500;

/** Something that fails while clients send messages. Returns what went wrong, if anything did. */
interface Fault {
  readonly name: string;
  /** How often it happens in a full run, with 2 and with 3 nodes. */
  readonly counts: readonly [number, number];
  run(campaign: Campaign): Promise<string | null>;
}

async function killNode(campaign: Campaign): Promise<null> {
  const turn = await campaign.beginLong();
  const { server } = turn.owner;
  let taken: Promise<void> | undefined;
  await campaign.talkers.sendOnce(server, () => {
    server.program.signal("SIGKILL");
    taken = campaign.awaitTakeover(turn);
  });
  await taken;
  await campaign.writeStale(turn);
  await campaign.restart(turn.owner);
  await campaign.cancel(turn);
  return null;
}

async function stopNode(campaign: Campaign): Promise<string | null> {
  const turn = await campaign.beginLong();
  const { program } = turn.owner.server;
  program.signal("SIGSTOP");
  let ms = 0;
  try {
    const stopped = performance.now();
    const ended = until("the agent's end", () => processesMarked(turn.entity_id).length === 0);
    const measured = ended.then(() => {
      ms = performance.now() - stopped;
    });
    await Promise.all([campaign.awaitTakeover(turn), pause(LONG), measured]);
  } finally {
    program.signal("SIGCONT");
  }
  await endStale(campaign, turn);
  // The supervisor ends it: nobody can take the session over so early.
  return ms > LEASE * 1000 ? `an agent ran for ${Math.round(ms)} ms without its node` : null;
}

async function cutOffNode(campaign: Campaign): Promise<null> {
  const turn = await campaign.beginLong();
  turn.owner.proxy.swallow(true);
  try {
    await Promise.all([campaign.awaitTakeover(turn), pause(10_000)]);
  } finally {
    turn.owner.proxy.swallow(false);
  }
  await endStale(campaign, turn);
  return null;
}

async function endStale(campaign: Campaign, turn: LongTurn): Promise<void> {
  await campaign.writeStale(turn);
  // Time for what the node itself still wants to write.
  await pause(1500);
  await campaign.cancel(turn);
}

async function stopDatabase(campaign: Campaign): Promise<null> {
  const turn = await campaign.beginLong();
  await campaign.lab.postgres.stop("immediate");
  await campaign.lab.postgres.start();
  await pause(1000);
  await campaign.cancel(turn);
  return null;
}

/** What was acknowledged must be on the standby. */
async function failOver(campaign: Campaign): Promise<null> {
  let turn: LongTurn | null = null;
  await campaign.failOver(async () => {
    turn = await campaign.beginLong();
  });
  await pause(1000);
  if (turn) await campaign.cancel(turn);
  return null;
}

/** Nothing may depend on Redis: messages are acknowledged and answered without it. */
async function killRedis(campaign: Campaign): Promise<null> {
  const { redis, talkers } = campaign;
  await redis.kill();
  try {
    const before = talkers.acknowledged.length;
    await until("messages without Redis", () => talkers.acknowledged.length >= before + 10);
    await campaign.cancel(await campaign.beginLong());
  } finally {
    await redis.start();
  }
  return null;
}

export const FAULTS: readonly Fault[] = [
  { name: "node killed (kill -9)", run: killNode, counts: [25, 25] },
  { name: "node stopped (SIGSTOP)", run: stopNode, counts: [10, 10] },
  { name: "node cut off from the database for 10 s", run: cutOffNode, counts: [10, 10] },
  { name: "database stopped at once and started", run: stopDatabase, counts: [5, 5] },
  { name: "failover to a synchronous standby", run: failOver, counts: [1, 2] },
  { name: "Redis killed and started", run: killRedis, counts: [3, 3] },
];
