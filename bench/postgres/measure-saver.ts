import { eachMs, elapsedMs } from "../lab.ts";
import { median } from "../measurements.ts";
import { runPeer } from "../peer.ts";
import { turnText } from "../turn-text.ts";
import { turnTexts } from "../turns.ts";
import { openBelay } from "./belay-postgres.ts";
import type { Figure } from "./figures.ts";
import { type PostgresLab, withDatabase } from "./postgres-lab.ts";

const ROUNDS = 5;
const CALLS = 10;
const saver = "LangGraph's PostgreSQL saver";

interface Measured {
  readonly appends: number[];
  readonly resumes: number[];
  readonly forks: number[];
}

/** The same on the same server by another tool: append, resume of a long session, fork of 500 turns. */
export async function measureSaver(lab: PostgresLab): Promise<Figure[]> {
  const { peerTurns } = lab.scale;
  const peer = await withDatabase(lab, "saver", (url) =>
    runPeer<Measured>("langgraph-postgres.mjs", [url, `${peerTurns}`], lab.progress),
  );
  if ("absent" in peer) {
    lab.progress(`  ${saver} did not run: ${peer.absent}`);
    return [];
  }
  const own = await withDatabase(lab, "beside_saver", (url) => measureOwn(url, peerTurns));
  return [
    {
      what: `append, one caller (raw: ${saver})`,
      ...{ unit: "perSecond", own: own.appends, base: peer.appends },
    },
    {
      what: `resume @${peerTurns.toLocaleString("en")} turns (raw: ${saver})`,
      ...{ unit: "milliseconds", own: own.resumes, base: peer.resumes, target: { atMost: 0.02 } },
    },
    {
      what: `fork of 500 turns (raw: ${saver})`,
      ...{ unit: "milliseconds", own: own.forks, base: peer.forks },
    },
  ];
}

async function measureOwn(url: string, turns: number): Promise<Measured> {
  const belay = await openBelay(url);
  for (const [session, count] of [
    ["session", 0],
    ["parent", 500],
    ["long-session", turns],
  ] as const) {
    await belay.createSession(session, "writer");
    await belay.seedTurns(session, turnTexts(count));
  }
  const measured: Measured = { appends: [], resumes: [], forks: [] };
  for (let round = 0; round < ROUNDS; round++) {
    const ms = await elapsedMs(async () => {
      for (let turn = 0; turn < 20; turn++) await belay.appendTurn("session", turnText(turn));
    });
    measured.appends.push(20_000 / ms);
    measured.resumes.push(median(await eachMs(CALLS, () => belay.resume("long-session"))));
    const forked = await eachMs(CALLS, (call) => belay.fork("parent", `child-${round}-${call}`));
    measured.forks.push(median(forked));
  }
  await belay.close();
  return measured;
}
