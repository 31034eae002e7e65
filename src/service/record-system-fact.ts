import { createHash } from "node:crypto";
import type { SystemFact } from "../contract/events.ts";
import type { SystemHead } from "../contract/head.ts";
import { isSystemHead } from "../core/known-events.ts";
import { evolveSystem, listSystem, newSystemHead } from "../core/system.ts";
import type { StreamStore } from "../store/stream-store.ts";
import { originOf } from "./change-session.ts";
import type { Caller, ServiceContext } from "./context.ts";
import { idempotencyOf } from "./idempotency.ts";

/** Where an owner's store keeps its own history, and that of each of its workspaces. */
export function systemStream(owner: string, cwd?: string) {
  const key = cwd === undefined ? "system" : `workspace:${digest(cwd)}`;
  return { kind: "system", owner, key } as const;
}

export async function loadSystemHead(
  store: StreamStore,
  owner: string,
  cwd?: string,
): Promise<SystemHead | null> {
  const stream = await store.load(systemStream(owner, cwd));
  return isSystemHead(stream?.head) ? stream.head : null;
}

/** Appends to such a stream; under one key, once. */
export async function recordSystemFact(
  context: ServiceContext,
  caller: Caller,
  fact: SystemFact,
  key: string,
): Promise<void> {
  const { owner } = caller;
  const system = systemStream(owner, "cwd" in fact.data ? fact.data.cwd : undefined);
  const retry = { operation: fact.type, key, request: key };
  await context.store.transact({
    streams: [system],
    idempotency: idempotencyOf(caller, retry),
    decide: ({ streams: [stream] }) => {
      const id = stream?.id ?? context.newId();
      const before = isSystemHead(stream?.head) ? stream.head : newSystemHead(id, owner);
      const seq = (stream?.seq ?? 0) + 1;
      const event = { ...fact, seq, at: context.now(), ...originOf(caller) };
      const head = evolveSystem(before, event);
      const kept = { events: [event], head, rows: [], names: [], listing: listSystem(head) };
      return { appends: [{ id, ...(stream ? {} : { create: system }), ...kept }] };
    },
  });
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
