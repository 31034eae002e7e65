import assert from "node:assert/strict";
import { resumedTurns } from "../contender.ts";
import { eachMs } from "../lab.ts";
import { median, resumeSizes } from "../measurements.ts";
import { turnText } from "../turn-text.ts";
import { turnTexts } from "../turns.ts";
import { openBelay } from "./belay-postgres.ts";
import type { Figure } from "./figures.ts";
import { type PostgresLab, withDatabase } from "./postgres-lab.ts";
import { interleave, series } from "./series.ts";

const SIZES = [...resumeSizes, 2000] as const;
const unit = "milliseconds" as const;

/** Head and last 50 turns of short and long sessions, and forks of the longest. */
export function measureResume(lab: PostgresLab): Promise<Figure[]> {
  return withDatabase(lab, "resume", async (url) => {
    const belay = await openBelay(url);
    try {
      for (const size of SIZES) {
        await belay.createSession(`turns-${size}`, "writer");
        await belay.seedTurns(`turns-${size}`, turnTexts(size));
        const { turnCount, turns } = await belay.resume(`turns-${size}`);
        assert.equal(turnCount, size);
        assert.equal(turns.length, resumedTurns);
        assert.equal(turns.at(-1), turnText(size - 1));
      }
      await belay.createSession("other", "writer");
      const { rounds, calls } = lab.scale.resume;
      const timed = (work: (call: number) => Promise<unknown>) =>
        series(async () => median(await eachMs(calls, work)));
      const resume = (size: number) => timed(() => belay.resume(`turns-${size}`));
      const short = resume(50);
      const medium = resume(500);
      const long = resume(10_000);
      const append = timed((call) => belay.appendTurn("other", turnText(call)));
      let forks = 0;
      const fork = timed(() => {
        forks += 1;
        return belay.fork("turns-10000", `fork-${forks}`);
      });
      await interleave(rounds, [short, medium, long, append, fork]);
      const { turnCount } = await belay.resume("fork-1");
      assert.equal(turnCount, 10_000);
      return [
        { what: "resume @50 turns", unit, own: short.rounds },
        {
          what: "resume @500 turns (compared with @50)",
          ...{ unit, own: medium.rounds, base: short.rounds, target: { atMost: 1.3 } },
        },
        {
          what: "resume @10,000 turns (compared with @50)",
          ...{ unit, own: long.rounds, base: short.rounds, target: { atMost: 1.3 } },
        },
        {
          what: "fork of 10,000 turns (compared with one append)",
          ...{ unit, own: fork.rounds, base: append.rounds, target: { atMost: 2 } },
        },
      ];
    } finally {
      await belay.close();
    }
  });
}
