import { LIMITS } from "../contract/limits.ts";
import { entityNames } from "../core/session/index-session.ts";
import { findSession } from "./read/find-session.ts";
import type { Caller, ServiceContext } from "./service-context.ts";

/** Names of entities in one state by which its session is found. */
const MOST_ENTITIES = 1000;

interface KeptState {
  readonly fields: {
    readonly state: Record<string, unknown>;
    readonly state_file?: { readonly digest: string; readonly size: number };
    readonly entities?: string[];
  };
  /** For a checkpoint that was refused. */
  forget(error: unknown): Promise<never>;
}

/** The state of a checkpoint as its event names it: itself, or a file beside the log where it is long. */
export async function keepState(
  context: ServiceContext,
  caller: Caller,
  id: string,
  state: Record<string, unknown>,
): Promise<KeptState> {
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
