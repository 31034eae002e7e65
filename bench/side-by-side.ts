import { belayEncrypted, belayUnsynced } from "./belay.ts";
import type { Contender } from "./contender.ts";
import { type Entrant, eachMs, elapsedMs, type Lab, withEntrants } from "./lab.ts";
import { median, sliceRate } from "./measurements.ts";
import { measurePeer, peers } from "./peer.ts";
import { filterOf, seededSessions } from "./seeded-sessions.ts";
import { turnText } from "./turn-text.ts";
import { appendTurns, settlingTurns, turnTexts } from "./turns.ts";

/** The same small workload for every contender and every peer, as a person who compares them would run it. */
export interface SideBySide {
  readonly name: string;
  /** Versions and settings that explain the numbers. */
  readonly note: string;
  readonly appendRate: number;
  /** How many times slower the last 200 turns were than the first 200. */
  readonly slowdown: number;
  readonly bytesPerTurn: number;
  readonly resumeMs: readonly { readonly turns: number; readonly ms: number }[];
  readonly listMs: number;
  readonly forkMs: number;
}

/** The reason why a peer could not run. */
export interface Absent {
  readonly name: string;
  readonly absent: string;
}

const window = 200;
const forkedTurns = 500;
const calls = 25;

export async function measureSideBySide(lab: Lab): Promise<(SideBySide | Absent)[]> {
  const rows: (SideBySide | Absent)[] = [];
  for (const contender of [...lab.contenders, belayEncrypted, belayUnsynced]) {
    lab.progress(`  ${contender.name}`);
    await withEntrants(lab, [contender], async ([entrant]) => {
      const { durability } = contender;
      if (entrant) rows.push(await measureEntrant(lab, entrant, durability));
    });
  }
  for (const peer of peers) {
    lab.progress(`  ${peer.name}`);
    rows.push(await measurePeer(lab, peer));
  }
  return rows;
}

async function measureEntrant(
  lab: Lab,
  { name, store }: Entrant,
  durability: Contender["durability"],
): Promise<SideBySide> {
  const { turns, sessions } = lab.scale.sideBySide;
  await store.createSession("settling", "writer");
  await appendTurns(store, "settling", settlingTurns);
  await store.createSession("session", "writer");
  const times: number[] = [];
  const resumeMs: { turns: number; ms: number }[] = [];
  for (let turn = 1; turn <= turns; turn++) {
    times.push(await elapsedMs(() => store.appendTurn("session", turnText(turn))));
    if (turn === 50 || turn === 500 || turn === turns) {
      resumeMs.push({
        turns: turn,
        ms: median(await eachMs(calls, () => store.resume("session"))),
      });
    }
  }
  const bytesPerTurn = (await store.diskBytes()) / (settlingTurns + turns);

  await store.createSession("parent", "writer");
  await store.seedTurns("parent", turnTexts(forkedTurns));
  const forks = await eachMs(calls, (call) => store.fork("parent", `child-${call}`));

  const seeded = { count: sessions, agents: 2 };
  await store.seedSessions(seededSessions(seeded));
  const lists = await eachMs(calls, (call) => store.list(filterOf(call, seeded)));
  return {
    name,
    note: `Node ${process.versions.node}, ${durability === "process" ? "not fsynced, as the peers" : "every commit fsynced"}`,
    appendRate: sliceRate(times.slice(0, window)),
    slowdown: sliceRate(times.slice(0, window)) / sliceRate(times.slice(-window)),
    bytesPerTurn,
    resumeMs,
    listMs: median(lists),
    forkMs: median(forks),
  };
}
