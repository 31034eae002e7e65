import assert from "node:assert/strict";
import { elapsedMs } from "../lab.ts";
import { turnText } from "../turn-text.ts";
import { openBelay } from "./belay-postgres.ts";
import type { Figure } from "./figures.ts";
import { type PostgresLab, withDatabase } from "./postgres-lab.ts";
import { RawPostgres } from "./raw-postgres.ts";
import { interleave, series } from "./series.ts";

const SESSIONS = Array.from({ length: 64 }, (_, nth) => `own-${nth}`);
const [ONE = ""] = SESSIONS;
const unit = "perSecond" as const;

/** One caller, and 64 callers with a session each, against the same writes without Belay. */
export function measureAppend(lab: PostgresLab): Promise<Figure[]> {
  return withDatabase(lab, "append", async (url) => {
    const raw = await RawPostgres.open(url);
    const belay = await openBelay(url);
    for (const session of SESSIONS) {
      await raw.createSession(session);
      await belay.createSession(session, "writer");
    }
    try {
      const figures = [
        ...(await measureOne(lab, raw, belay)),
        ...(await measureMany(lab, raw, belay)),
      ];
      const { turnCount } = await belay.resume(ONE);
      assert.equal(await raw.turnCount(ONE), 2 * turnCount, "turns are missing");
      return figures;
    } finally {
      await belay.close();
      await raw.close();
    }
  });
}

type Belay = Awaited<ReturnType<typeof openBelay>>;

async function measureOne({ scale }: PostgresLab, raw: RawPostgres, belay: Belay) {
  const { rounds, turns } = scale.append;
  const alone = (append: (session: string, text: string) => Promise<void>) =>
    series(async () => {
      const ms = await elapsedMs(async () => {
        for (let turn = 0; turn < turns; turn++) await append(ONE, turnText(turn));
      });
      return (turns * 1000) / ms;
    });
  const own = alone(belay.appendTurn);
  const oneStatement = alone((session, text) => raw.appendInOneStatement(session, text));
  const fourTrips = alone((session, text) => raw.appendInFourTrips(session, text));
  await interleave(rounds, [own, oneStatement, fourTrips]);
  return [
    {
      what: "append, one caller (raw: one statement that inserts and updates)",
      ...{ unit, own: own.rounds, base: oneStatement.rounds, target: { atLeast: 0.45 } },
    },
    {
      what: "append, one caller (raw: the same in a transaction of four round trips)",
      ...{ unit, own: own.rounds, base: fourTrips.rounds, target: { atLeast: 0.85 } },
    },
  ] as const;
}

async function measureMany({ scale }: PostgresLab, raw: RawPostgres, belay: Belay) {
  const { rounds, turnsEach } = scale.concurrent;
  const text = turnText(turnsEach);
  const together = (appendAll: Belay["appendConcurrently"]) =>
    series(async () => {
      const ms = await elapsedMs(() => appendAll(SESSIONS, turnsEach, text));
      return (SESSIONS.length * turnsEach * 1000) / ms;
    });
  const own = together(belay.appendConcurrently);
  const sixteen = together((...of) => raw.appendOnConnections(...of));
  const batched = together((...of) => raw.appendInBatches(...of));
  await interleave(rounds, [own, sixteen, batched]);
  return [
    {
      what: "append, 64 callers (raw: one statement each, on 16 connections)",
      ...{ unit, own: own.rounds, base: sixteen.rounds, target: { atLeast: 1 } },
    },
    {
      what: "append, 64 callers (raw: one statement with unnest for all 64)",
      ...{ unit, own: own.rounds, base: batched.rounds, target: { atLeast: 0.5 } },
    },
  ] as const;
}
