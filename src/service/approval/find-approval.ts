import { BelayError, refuse } from "../../contract/errors.ts";
import { ENDING_ROW, endingName, questionEnding } from "../../core/session/question-ending.ts";
import { readParts } from "../../store/read-streams.ts";
import { type GrantContext, listShared, readGrants } from "../access/read-grants.ts";
import type { Caller, ServiceContext } from "../service-context.ts";

/** Finds an approval, open or closed, by its whole id: a part of it could name another question by now. */
export async function findApproval(
  { store }: ServiceContext,
  { owner }: Caller,
  approval_id: string,
): Promise<{ id: string; approval_id: string }> {
  const [place] = await store.findByName(owner, `approval:${approval_id}`, { limit: 1 });
  if (place) return { id: place.id, approval_id };
  const message = `Approval ${approval_id} not found.`;
  throw new BelayError(refuse("approval_not_found", message, { approval_id }));
}

/** More than one is enough to refuse. */
const MOST = 5;

/**
 * The ids of the questions that end with these eight digits, open or closed: of the owner, and of sessions that others
 * share with the owner.
 */
export async function findByEnding(
  context: GrantContext,
  owner: string,
  ending: string,
): Promise<string[]> {
  if (questionEnding(ending) !== ending) return [];
  const { store } = context;
  const grants = await readGrants(context, owner, await listShared(store, owner));
  const owners = new Set([owner, ...[...grants.values()].map(({ stream }) => stream.owner)]);
  const ids: string[] = [];
  for (const each of owners) {
    const places = await store.findByName(each, endingName(ending), { limit: MOST });
    ids.push(...places.map(({ id }) => id).filter((id) => each === owner || grants.has(id)));
  }
  const rows = [{ kind: ENDING_ROW, key: ending, limit: MOST }];
  const parts = await readParts(
    store,
    ids.map((id) => ({ ref: { id }, rows })),
  );
  return parts.flatMap((part) =>
    (part?.rows[0] ?? []).map(({ data: { approval_id } }) => String(approval_id)),
  );
}
