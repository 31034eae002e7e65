/**
 * `npm run test:nodes`: real servers on one PostgreSQL with Redis, under load, while nodes are killed, stopped and cut off
 * from the database, the database is stopped and fails over, and Redis is killed. The whole history is read in the end.
 * BELAY_NODES_SCALE makes it shorter (0.1, with fewer sessions) or longer (2), and BELAY_NODES_SESSIONS sets the number
 * of sessions. It ends with a table, and with exit code 1 if it found anything.
 */
import buildDemoAgent from "../../agent/demo/demo-program.ts";
import { endAll, runBelay } from "../../serve/server-process.ts";
import { Campaign } from "./campaign.ts";
import { FAULTS, LEASE } from "./faults.ts";
import { FeedFollowers } from "./feed-followers.ts";
import { fillDisk } from "./fill-disk.ts";
import { judgeHistory, readHistory } from "./judge-history.ts";
import { Results } from "./results.ts";
import { writeUnfenced } from "./stale-writes.ts";

const scale = Number(process.env.BELAY_NODES_SCALE ?? 1);
const times = (count: number) => Math.max(1, Math.round(count * scale));
const SESSIONS = Number(process.env.BELAY_NODES_SESSIONS ?? Math.min(20, Math.max(3, 20 * scale)));
const LONG_LEASE = 45;
/** Milliseconds after the lease time within which another node must have recovered a session. */
const MOST_LATER = 5000;
/** A round that fails for another reason, such as a slow moment of the machine, is repeated this often. */
const MOST_REPEATS = 2;
const results = new Results();

async function runCampaign(count: number, nth: 0 | 1): Promise<void> {
  const campaign = await Campaign.open(LEASE, count);
  try {
    const feed = new FeedFollowers(
      () => campaign.any(),
      () => campaign.lab.url,
    );
    await campaign.talkers.start(SESSIONS);
    for (const fault of FAULTS) {
      const rounds = times(fault.counts[nth]);
      campaign.takeovers.length = 0;
      for (let round = 1; round <= rounds; round += 1) {
        await runRound(campaign, `${count} nodes, ${fault.name}`, fault.run);
        if (round % 5 === 0) results.report(`${count} nodes, ${fault.name}: ${round} of ${rounds}`);
      }
      results.addTakeovers(
        fault.name,
        count,
        rounds,
        campaign.takeovers,
        LEASE * 1000 + MOST_LATER,
      );
    }
    await judge(campaign, count, feed);
  } finally {
    await campaign.close();
  }
}

async function runRound(
  campaign: Campaign,
  name: string,
  run: (campaign: Campaign) => Promise<string | null>,
): Promise<void> {
  for (let repeat = 0; ; repeat += 1) {
    const before = campaign.takeovers.length;
    try {
      const wrong = await run(campaign);
      if (wrong) results.fail(`${name}: ${wrong}`);
      return;
    } catch (error) {
      results.report(`${name}: this round is repeated, because of: ${error}`);
      if (repeat === MOST_REPEATS) return results.fail(`${name}: ${error}`);
      // A takeover that took place counts.
      if (campaign.takeovers.length === before) results.repeated += 1;
      await campaign.revive();
    }
  }
}

async function judge(campaign: Campaign, count: number, feed: FeedFollowers): Promise<void> {
  const { talkers, lab, staleWrites } = campaign;
  const nodes = `${count} nodes`;
  const long = await campaign.beginLong();
  await campaign.cancel(long);
  await talkers.stop();
  for (const head of await talkers.settle()) results.report(`waits for an answer: ${head}`);
  const history = await readHistory(lab.url);
  const findings = judgeHistory(talkers.acknowledged, history);
  results.fail(...findings.map(({ kind, what }) => `${nodes}, ${kind}: ${what}`));
  results.add("acknowledged messages", nodes, talkers.acknowledged.length);
  results.add("of these lost, doubled or not answered", nodes, findings.length);
  results.add("requests that failed and were repeated", nodes, talkers.refused);
  results.add("events in the history", nodes, history.length);
  results.add("stale writes tried", nodes, staleWrites.tried);
  results.add("stale writes accepted", nodes, staleWrites.accepted);
  if (staleWrites.accepted > 0) results.fail(`${nodes}: stale writes were accepted`);
  const { skipped, repeated, skippedBySequence } = await feed.finish(history);
  results.add("events that the feed skipped or repeated", nodes, skipped + repeated);
  if (skipped + repeated > 0) results.fail(`${nodes}: the feed skipped or repeated events`);
  const verified = await runBelay(lab.place(0), ["verify", "--json"], {
    BELAY_DATABASE_URL: lab.url,
  });
  if (verified.code !== 0) results.fail(`${nodes}, verify: ${verified.stdout}`);

  // The same checks must find errors where there are some.
  const isLong = scale >= 1;
  const early = judgeHistory(talkers.promised, history).length;
  results.control("acknowledged before the commit", nodes, early, isLong);
  results.control("feed by sequence", nodes, skippedBySequence, isLong);
  await writeUnfenced(lab.url, { ...long, epoch: long.epoch - 1 });
  const stale = judgeHistory([], await readHistory(lab.url)).length;
  results.control("writes without fencing", nodes, stale, true);
}

/** The lease time that nodes have by default: a stopped node is replaced within it. */
async function runWithLongLeases(): Promise<void> {
  const campaign = await Campaign.open(LONG_LEASE, 2);
  const name = `node stopped, with leases of ${LONG_LEASE} s`;
  try {
    for (let round = 1; round <= 3; round += 1) {
      await runRound(campaign, name, async () => {
        const turn = await campaign.beginLong();
        turn.owner.server.program.signal("SIGSTOP");
        await campaign.awaitTakeover(turn);
        await campaign.writeStale(turn);
        turn.owner.server.program.signal("SIGCONT");
        await campaign.cancel(turn);
        return null;
      });
    }
    results.addTakeovers(name, 2, 3, campaign.takeovers, LONG_LEASE * 1000 + MOST_LATER);
    const findings = judgeHistory([], await readHistory(campaign.lab.url));
    results.fail(...findings.map(({ kind, what }) => `${name}, ${kind}: ${what}`));
    if (campaign.staleWrites.accepted > 0) results.fail(`${name}: stale writes were accepted`);
  } finally {
    await campaign.close();
  }
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => void endAll().finally(() => process.exit(1)));
}
await buildDemoAgent();
await runCampaign(2, 0);
await runCampaign(3, 1);
await runWithLongLeases();
const wrong = await fillDisk();
results.report(`disk of the server full: ${wrong ? `${wrong.length} findings` : "may not mount"}`);
results.fail(...(wrong ?? []));
process.exit(results.print() ? 0 : 1);
