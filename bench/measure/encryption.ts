import assert from "node:assert/strict";
import { belay, belayEncrypted } from "../belay.ts";
import { alternate, type Entrant, eachMs, elapsedMs, type Lab, withEntrants } from "../lab.ts";
import { type Metric, median, record } from "../measurements.ts";
import { filterOf, seededSessions } from "../seeded-sessions.ts";
import { turnText } from "../turn-text.ts";
import { appendTurns, settlingTurns, turnTexts } from "../turns.ts";

const callers = Array.from({ length: 64 }, () => "shared");
const resumed = 20;
/** Resumes and lists before anything counts, of sessions that are not measured. */
const WARMING = { resumes: 100, lists: 50 };
const seeded = { count: 20_000, agents: 23 };

/** P14: Belay with everything encrypted, against Belay without. */
export async function measureEncryption(lab: Lab): Promise<void> {
  const [raw, own] = lab.contenders;
  const { append, concurrent, resume } = lab.scale;
  const names = new Map([
    [belay.name, raw?.name ?? ""],
    [belayEncrypted.name, own?.name ?? ""],
  ]);
  await withEntrants(lab, [belay, belayEncrypted], async (entrants) => {
    const note = ({ name }: Entrant, metric: Metric, value: number): void =>
      record(lab.measurements, names.get(name) ?? "", metric, value);
    for (const { store } of entrants) {
      for (const session of ["writer", "shared"]) await store.createSession(session, "writer");
      await appendTurns(store, "writer", settlingTurns);
      await appendTurns(store, "shared", settlingTurns);
      for (let nth = 0; nth < WARMING.resumes + resumed * resume.rounds; nth++) {
        await store.createSession(`turns-${nth}`, "writer");
        await store.seedTurns(`turns-${nth}`, turnTexts(50));
      }
      await store.seedSessions(seededSessions(seeded));
      // The engine has optimized most of the code before anything counts.
      for (let nth = 0; nth < WARMING.resumes; nth++) await store.resume(`turns-${nth}`);
      for (let nth = 0; nth < WARMING.lists; nth++) {
        await store.list(filterOf(LISTS * resume.rounds + nth, seeded));
      }
    }
    await alternate(entrants, append.rounds, async (entrant, round) => {
      const { store } = entrant;
      const ms = await elapsedMs(() => appendTurns(store, "writer", append.turns));
      note(entrant, "sealed_append_rate", (append.turns * 1000) / ms);
      const text = turnText(round);
      const all = await elapsedMs(() =>
        store.appendConcurrently(callers, concurrent.turnsEach, text),
      );
      const count = callers.length * concurrent.turnsEach;
      note(entrant, "sealed_concurrent_rate", (count * 1000) / all);
    });
    await alternate(entrants, resume.rounds, async (entrant, round) => {
      const { store } = entrant;
      const nameOf = (call: number) => `turns-${WARMING.resumes + round * resumed + call}`;
      const firsts = await eachMs(resumed, (call) => store.resume(nameOf(call)));
      note(entrant, "sealed_resume_first_ms", median(firsts));
      const again = await eachMs(resumed, (call) => store.resume(nameOf(call)));
      note(entrant, "sealed_resume_ms", median(again));
      // Each pair of status and agent is listed once, so none of its sessions was read before.
      const lists = await eachMs(LISTS, (call) =>
        store.list(filterOf(round * LISTS + call, seeded)),
      );
      note(entrant, "sealed_list_ms", median(lists));
    });
    for (const { name, store } of entrants) {
      const { turnCount } = await store.resume("turns-0");
      assert.equal(turnCount, 50, `${name} resumes a wrong head`);
    }
  });
}

const LISTS = 5;
