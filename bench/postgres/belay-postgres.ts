import { createService } from "../../src/compose-service.ts";
import { newId } from "../../src/service/new-id.ts";
import { openPostgresStore } from "../../src/store/postgres/open-postgres-store.ts";
import { toCalls } from "../belay-calls.ts";

/** Belay on PostgreSQL as its users have it: through the service, with all its checks. */
export async function openBelay(url: string) {
  const store = await openPostgresStore({ url, isAlive: () => true });
  const calls = toCalls(createService({ store, now: Date.now, newId }));
  return {
    ...calls,
    store,
    async seedTurns(session: string, texts: Iterable<string>): Promise<void> {
      let batch: Promise<void>[] = [];
      for (const text of texts) {
        batch.push(calls.appendTurn(session, text));
        if (batch.length === SEED_BATCH) await Promise.all(batch.splice(0));
      }
      await Promise.all(batch);
      batch = [];
    },
    close: () => store.close(),
  };
}

const SEED_BATCH = 1000;
