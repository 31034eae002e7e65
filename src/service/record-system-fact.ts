import type { SystemFact } from "../contract/events.ts";
import { isSystemHead } from "../core/known-events.ts";
import { evolveSystem, listSystem, newSystemHead } from "../core/system.ts";
import { originOf } from "./change-session.ts";
import type { Caller, ServiceContext } from "./context.ts";
import { idempotencyOf } from "./idempotency.ts";

/** Appends to the stream in which an owner's store keeps its own history; under one key, once. */
export async function recordSystemFact(
  context: ServiceContext,
  caller: Caller,
  fact: SystemFact,
  key: string,
): Promise<void> {
  const { owner } = caller;
  const system = { kind: "system", owner, key: "system" } as const;
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
