import { describe, expect, it } from "vitest";
import { createService } from "../../src/compose-service.ts";
import { newId } from "../../src/service/new-id.ts";
import { verifyStreams } from "../../src/service/verify-streams.ts";
import { changeVerdict } from "../../src/store/append-rules.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import type { StreamStore } from "../../src/store/stream-store.ts";
import { as } from "./on-memory.ts";

const caller = as("me", "library");

describe("the rows that find questions and completed actions", () => {
  it("are sound although an earlier version did not write them", async () => {
    expect(await findingsWithout((nth) => nth < 2)).toEqual([]);
    expect(await findingsWithout(() => true)).toEqual([]);
  });

  it("are damaged if a later one is missing", async () => {
    expect(await findingsWithout((nth) => nth === 2)).toEqual([
      "the index of endings does not match the log",
      "the index of completions does not match the log",
    ]);
  });
});

/** The findings after three actions and questions, of which some were written without these rows. */
async function findingsWithout(isOlder: (nth: number) => boolean): Promise<string[]> {
  const memory = openMemoryStore();
  const older = withoutRows(memory);
  const [now, before] = [memory, older].map((store) =>
    createService({ store, now: Date.now, newId }),
  );
  if (!now || !before) throw new Error("no service");
  const { session_id: id } = await now.call("create", { agent_name: "a" }, caller);
  for (let nth = 0; nth < 3; nth += 1) {
    const service = isOlder(nth) ? before : now;
    await service.call("begin_action", { id, action_id: `charge-${nth}`, type: "charge" }, caller);
    await service.call("complete_action", { id, action_id: `charge-${nth}` }, caller);
    await service.call("request_approval", { id, title: "Go on?" }, caller);
  }
  const findings: string[] = [];
  for await (const { what } of verifyStreams(memory)) findings.push(what);
  return findings;
}

function withoutRows(store: StreamStore): StreamStore {
  return {
    ...store,
    transact: ({ decide, ...transaction }) =>
      store.transact({
        ...transaction,
        decide: (loaded) =>
          changeVerdict(decide(loaded), (verdict) =>
            "appends" in verdict
              ? {
                  appends: verdict.appends.map((append) => ({
                    ...append,
                    rows: append.rows.filter(
                      ({ kind }) => kind !== "ending" && kind !== "completion",
                    ),
                  })),
                }
              : verdict,
          ),
      }),
  };
}
