import { setTimeout as pause } from "node:timers/promises";
import type { StreamStore } from "../../store/stream-store.ts";
import { recordSystemFact } from "../record-system-fact.ts";
import type { Caller, ServiceContext } from "../service-context.ts";

type LogContext = Pick<ServiceContext, "store" | "now" | "newId">;
type LoggedFact = Extract<
  Parameters<typeof recordSystemFact>[2],
  { readonly type: "session.seen" | "access.refused" }
>;

const HOUR_MS = 3_600_000;
/** Long enough that the answer has left. */
const LATER_MS = 100;
/** This many entries are remembered, so that repetitions within an hour rarely read the store. */
const MOST_KNOWN = 10_000;
const known = new WeakMap<StreamStore, Set<string>>();

/** Another person's session. */
interface SeenSession {
  readonly id: string;
  readonly owner: string;
}

/** Records that a person saw these sessions, before they are shown: one entry per person, session and hour. */
export async function recordSeen(
  context: LogContext,
  person: string,
  sessions: readonly SeenSession[],
): Promise<void> {
  for (const { id, owner } of sessions) {
    const data = { entity_id: id, by: person };
    await recordHourly(context, owner, { type: "session.seen", data });
  }
}

/** Records a refusal: for the owner of the session, or else for those who administer the caller's tokens. */
export async function recordRefused(
  context: LogContext,
  { owner, scope }: Caller,
  operation: string,
  session: SeenSession | null = null,
): Promise<void> {
  // Callers without a scope have the data folder itself and need no permission.
  if (scope === undefined) return;
  const data = { entity_id: session?.id ?? null, by: owner, operation };
  await recordHourly(context, session?.owner ?? owner, { type: "access.refused", data });
}

const pending = new WeakMap<StreamStore, Set<Promise<void>>>();

/** The same, without waiting for it: the time of an answer must not tell whether the session exists. */
export function recordRefusedLater(
  context: LogContext,
  caller: Caller,
  operation: string,
  session: SeenSession,
): void {
  const under = pending.get(context.store) ?? new Set();
  pending.set(context.store, under);
  const record = async (): Promise<void> => {
    await pause(LATER_MS);
    await recordRefused(context, caller, operation, session);
  };
  // If the store is closed meanwhile, the refusal is not recorded.
  const recorded = record()
    .catch(() => {})
    .finally(() => under.delete(recorded));
  under.add(recorded);
}

/** Waits until all refusals of this process are on record. */
export async function refusalsRecorded(store: StreamStore): Promise<void> {
  await Promise.all(pending.get(store) ?? []);
}

async function recordHourly(context: LogContext, owner: string, fact: LoggedFact): Promise<void> {
  const { store } = context;
  const { by } = fact.data;
  const hour = Math.floor(context.now() / HOUR_MS);
  const operation = fact.type === "access.refused" ? fact.data.operation : null;
  const key = JSON.stringify([fact.type, by, fact.data.entity_id, operation, hour]);
  const told = known.get(store) ?? new Set<string>();
  known.set(store, told);
  if (told.has(key)) return;
  const caller = { owner, actor: `person:${by}`, interface: "api", trace_id: null } as const;
  await recordSystemFact(context, caller, fact, key);
  if (told.size >= MOST_KNOWN) told.clear();
  told.add(key);
}
