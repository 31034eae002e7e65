import { setImmediate as nextRound } from "node:timers/promises";
import { BelayError, refuse } from "../../contract/errors.ts";
import { readEvents } from "../../store/read-streams.ts";
import { maySeeEveryone } from "../access/server-admin.ts";
import { visiblePeople } from "../access/visible-people.ts";
import type { Caller, ServiceContext } from "../service-context.ts";
import { auditedStreams, toAuditLine } from "./audited-streams.ts";

/**
 * Throws if the caller cannot know this name: it has no entry at any time, and is neither a visible person nor, for
 * admins, an owner. So a typing error is not taken for a person who did nothing.
 */
export async function expectAuditedPerson(
  context: ServiceContext,
  caller: Caller,
  person: string | undefined,
  everyone: boolean,
): Promise<void> {
  if (person === undefined || person === caller.owner) return;
  const people = await visiblePeople(context.store, caller);
  if (people.some(({ name }) => name === person)) return;
  if (maySeeEveryone(caller) && (await isOwner(context, person))) return;
  if (await hasEntry(context, caller, person, everyone)) return;
  throw new BelayError(
    refuse("person_not_found", `Person not found: ${person}.`, { name: person }),
  );
}

async function isOwner({ store }: ServiceContext, owner: string): Promise<boolean> {
  for (const kind of ["session", "task", "system"] as const) {
    if ((await store.list({ kind, owner, filter: {}, limit: 1 })).streams.length > 0) return true;
  }
  return false;
}

async function hasEntry(
  context: ServiceContext,
  caller: Caller,
  person: string,
  everyone: boolean,
): Promise<boolean> {
  const wanted = { since: 0, person, everyone };
  for (const audited of await auditedStreams(context, caller, wanted)) {
    const { id, seq } = audited.stream;
    for (let after = 0; after < seq; ) {
      const events = await readEvents(context.store, id, { after, limit: 500, bytes: 1_000_000 });
      if (events.some((event) => toAuditLine(event, audited, wanted))) return true;
      const last = events.at(-1);
      if (!last) break;
      after = last.seq;
      // There may be many pages, so other requests get their turn in between.
      await nextRound();
    }
  }
  return false;
}
