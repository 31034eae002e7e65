import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createContext } from "../../../src/compose-context.ts";
import { createService } from "../../../src/compose-service.ts";
import { isAlive } from "../../../src/process/process-identity.ts";
import { createMaintenance } from "../../../src/service/maintenance.ts";
import { openSqliteStore } from "../../../src/store/sqlite/open-sqlite-store.ts";
import { CALLER } from "../door.ts";
import type { Verdict } from "../judge.ts";
import { judge } from "../judge.ts";
import type { Scenario } from "../scenario.ts";
import { mixedScenario } from "../scenario.ts";
import { readAcknowledged, readEffects } from "./real-outside.ts";

/** A data folder, the world next to it, and the programs that run there. */
export function makePlace(
  folder: string,
  name: string,
  sessions: number,
  random: (bound: number) => number,
): { readonly place: string; readonly scenarios: readonly Scenario[] } {
  const place = join(folder, name);
  mkdirSync(join(place, "home"), { recursive: true });
  const scenarios = Array.from({ length: sessions }, (_, nth) =>
    mixedScenario(`session-${nth + 1}`, random),
  );
  writeFileSync(join(place, "scenarios.json"), JSON.stringify(scenarios));
  return { place, scenarios };
}

/** The length of each log, to show that nothing changed. */
export async function lengthsOf(place: string): Promise<string> {
  const store = await openSqliteStore({ folder: join(place, "home"), isAlive });
  try {
    const { streams } = await store.list({ kind: "session", owner: null, filter: {}, limit: 1000 });
    return streams.map(({ key, seq }) => `${key} ${seq}`).join();
  } finally {
    await store.close();
  }
}

/** Compares the final state with all promises. */
export async function judgePlace(
  place: string,
  scenarios: readonly Scenario[],
): Promise<readonly Verdict[]> {
  const store = await openSqliteStore({ folder: join(place, "home"), isAlive });
  try {
    const service = createService(createContext(store));
    const acknowledged = readAcknowledged(place);
    const effects = readEffects(place);
    const verdicts: Verdict[] = [];
    for (const scenario of scenarios) {
      const { session } = scenario;
      const { events: log } = await service.call("log", { id: session, limit: 1000 }, CALLER);
      verdicts.push(
        judge({
          scenario,
          log,
          acknowledged: acknowledged.filter((one) => one.session === session),
          effects: effects.filter(({ name }) => name.startsWith(`${session}/`)),
        }),
      );
    }
    const { findings } = await createMaintenance(store).verify();
    const other = findings
      .filter(({ kind }) => kind === "damage")
      .map(({ what }) => `verify: ${what}`);
    return [...verdicts, { lost: [], duplicated: [], other, listed: 0, acknowledged: 0 }];
  } finally {
    await store.close();
  }
}
