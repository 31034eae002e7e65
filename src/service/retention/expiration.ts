import type { SystemHead } from "../../contract/head.ts";
import type { ExpirationDays } from "../../core/judge-expiry.ts";
import { isSystemHead } from "../../core/session/known-events.ts";
import { loadStream } from "../../store/read-streams.ts";
import type { StreamStore } from "../../store/stream-store.ts";
import { expirationStream, recordSystemFact } from "../record-system-fact.ts";
import type { Caller, ServiceContext } from "../service-context.ts";

/** The expiration settings for the sessions of an owner. */
export async function readExpiration(store: StreamStore, owner: string): Promise<ExpirationDays> {
  const [own, everyone] = await Promise.all([load(store, owner), load(store, null)]);
  return { own: own?.after_days ?? null, everyone: everyone?.after_days ?? null };
}

/** True if any session of the store may expire. */
export async function isExpirationUsed(store: StreamStore): Promise<boolean> {
  return (await load(store, null))?.used ?? false;
}

/** Records, once for the whole store, that sessions may expire. */
export async function noteExpirationUsed(context: ServiceContext, caller: Caller): Promise<void> {
  if (await isExpirationUsed(context.store)) return;
  const fact = { type: "expiration.used", data: {} } as const;
  await recordSystemFact(context, caller, fact, "used");
}

export async function setExpiration(
  context: ServiceContext,
  caller: Caller,
  after_days: number | null,
  everyone: boolean,
): Promise<void> {
  await noteExpirationUsed(context, caller);
  const fact = { type: "expiration.set", data: { after_days, everyone } } as const;
  await recordSystemFact(context, caller, fact, context.newId());
}

async function load(store: StreamStore, owner: string | null): Promise<SystemHead["expiration"]> {
  const stream = await loadStream(store, expirationStream(owner));
  return isSystemHead(stream?.head) ? stream.head.expiration : undefined;
}
