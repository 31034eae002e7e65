import { describe, expect, it } from "vitest";
import { createService } from "../../src/compose-service.ts";
import type { SessionHead } from "../../src/contract/head.ts";
import { isSessionHead } from "../../src/core/session/known-events.ts";
import { changeSession } from "../../src/service/change-session.ts";
import { newId } from "../../src/service/new-id.ts";
import type { Caller } from "../../src/service/service-context.ts";
import { verifyStreams } from "../../src/service/verify-streams.ts";
import { changeVerdict } from "../../src/store/append-rules.ts";
import { acquireLease } from "../../src/store/leases.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import type { Append, StreamStore } from "../../src/store/stream-store.ts";

const caller: Caller = { owner: "me", actor: "test", interface: "library", trace_id: null };

describe("heads that an earlier version wrote", () => {
  it("are sound although they have no outcome of the last turn", async () => {
    expect(await findingsWith(({ last_turn: _, ...head }) => head)).toEqual([]);
  });

  it("are damaged if anything else differs", async () => {
    const found = await findingsWith((head) => ({ ...head, error_count: 7 }));
    expect(found).toContain("the head does not match the log");
  });
});

/** The findings of a verification after an interrupted turn, with every session's head changed as it was written. */
async function findingsWith(change: (head: SessionHead) => unknown): Promise<string[]> {
  const store = withHeads(openMemoryStore(), change);
  const context = { store, now: Date.now, newId };
  const service = createService(context);
  const { session_id: id, entity_id } = await service.call("create", { agent_name: "a" }, caller);
  const holder = { name: "test", pid: 1, start_time: null, boot_id: null, node: null };
  const lease = await acquireLease(store, entity_id, holder);
  const turn_id = newId();
  await changeSession(context, caller, {
    id,
    epoch: lease.granted ? lease.epoch : 0,
    commands: () => [
      { type: "start_turn", turn_id, content: "go on" },
      { type: "end_turn", turn_id, outcome: "interrupted", error: null, usage: null },
    ],
  });
  const findings: string[] = [];
  for await (const { what } of verifyStreams(store)) findings.push(what);
  return findings;
}

function withHeads(store: StreamStore, change: (head: SessionHead) => unknown): StreamStore {
  const written = ({ head, ...append }: Append): Append => ({
    ...append,
    head: isSessionHead(head) ? change(head) : head,
  });
  return {
    ...store,
    transact: ({ decide, ...transaction }) =>
      store.transact({
        ...transaction,
        decide: (loaded) =>
          changeVerdict(decide(loaded), (verdict) =>
            "appends" in verdict ? { appends: verdict.appends.map(written) } : verdict,
          ),
      }),
  };
}
