import { LIMITS } from "../contract/limits.ts";
import { entityNames } from "../core/session/index-session.ts";
import { findSession } from "./read/find-session.ts";
import type { Caller, ServiceContext } from "./service-context.ts";

/** The most entity names of one state that its session is found by. */
const MOST_ENTITIES = 1000;

interface StoredState {
  readonly fields: {
    readonly state: Record<string, unknown>;
    readonly state_file?: { readonly digest: string; readonly size: number };
    readonly entities?: string[];
  };
  /** Removes the stored state of a refused checkpoint. */
  forget(error: unknown): Promise<never>;
}

/** The state of a checkpoint in the form that its event stores: inline, or as a blob if it is large. */
export async function storeState(
  context: ServiceContext,
  caller: Caller,
  id: string,
  given: Record<string, unknown>,
): Promise<StoredState> {
  const state = (await context.redaction?.())?.value(given) ?? given;
  const { blobs } = context.store;
  const bytes = Buffer.from(JSON.stringify(state));
  if (!blobs || bytes.length <= LIMITS.STATE_INLINE) {
    return { fields: { state }, forget: (error) => Promise.reject(error) };
  }
  const { stream } = await findSession(context, caller.owner, id);
  const { digest, size, added } = await blobs.put(stream.id, [bytes]);
  const entities = [...new Set(entityNames(state))].slice(0, MOST_ENTITIES);
  return {
    fields: { state: {}, state_file: { digest, size }, entities },
    async forget(error) {
      if (added) await blobs.drop(stream.id, digest);
      throw error;
    },
  };
}
