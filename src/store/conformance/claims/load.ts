import { expect } from "vitest";
import { refuse } from "../../../contract/errors.ts";
import { loadStream } from "../../read-streams.ts";
import type { StoredStream, Transaction, Verdict } from "../../stream-store.ts";
import { begin, countTo, idOf, keep, keyed, moreLines, newNotebook, write } from "../notebook.ts";
import { readEverything } from "../read-everything.ts";
import type { Suite } from "../suite.ts";

const [A, B, C] = [idOf(1), idOf(2), idOf(3)];

export function load({ it }: Suite): void {
  it("loads a further stream for a decision, by id and by key", async ({ open }) => {
    const store = await open();
    for (const id of [A, B]) await keep(store, begin(id));
    await keep(store, write(B));
    const seen: (StoredStream | undefined)[] = [];
    for (const load of [{ id: B }, { kind: "session", owner: "ann", key: B }] as const) {
      const decide = (stream: StoredStream | undefined): Verdict => {
        seen.push(stream);
        return { appends: [] };
      };
      await store.transact({ streams: [{ id: A }], decide: () => ({ load, decide }) });
    }
    const stored = await loadStream(store, { id: B });
    expect(seen).toEqual([stored, stored]);
  });

  it("lets a decision append to the further stream, create it or refuse", async ({ open }) => {
    const store = await open();
    for (const id of [A, B]) await keep(store, begin(id));
    await keep(store, copyTo(B));
    expect(await loadStream(store, { id: B })).toMatchObject({ seq: 2 });
    const created = await store.transact(copyTo(C));
    expect(created).toMatchObject({ kind: "committed", streams: [{ id: A }, { id: C, seq: 1 }] });

    const before = await readEverything(store);
    const refusal = refuse("limit_reached", "enough");
    const refusing: Transaction = {
      streams: [{ id: A }],
      decide: () => ({ load: { id: B }, decide: () => ({ refused: refusal }) }),
    };
    expect(await store.transact(refusing)).toEqual({ kind: "refused", refusal });
    expect(await readEverything(store)).toEqual(before);
  });

  it("passes the further stream as the previous decision left it", async ({ open }) => {
    const store = await open();
    for (const id of [A, B]) await keep(store, begin(id));
    const other = await open();
    const copies = countTo(20).map((n) => (n % 2 === 0 ? store : other).transact(copyTo(B)));
    const alone = countTo(20).map(() => store.transact(write(B)));
    for (const outcome of await Promise.all([...copies, ...alone])) {
      expect(outcome).toMatchObject({ kind: "committed" });
    }
    expect(await loadStream(store, { id: A })).toMatchObject({ seq: 21, head: { lines: 21 } });
    expect(await loadStream(store, { id: B })).toMatchObject({ seq: 41, head: { lines: 41 } });
  });

  it("does not use up an idempotency key if a decision appends nothing", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A));
    const before = await readEverything(store);
    const nothing = keyed({ streams: [{ id: A }], decide: () => ({ appends: [] }) }, "k");
    expect(await store.transact(nothing)).toEqual({ kind: "committed", streams: [] });
    expect(await readEverything(store)).toEqual(before);
    expect(await store.transact(keyed(write(A), "k"))).toMatchObject({ kind: "committed" });
  });
}

/** Writes a line in A and one in another notebook, which is only known after reading A. */
function copyTo(id: string): Transaction {
  return {
    streams: [{ id: A }],
    decide: ({ streams: [first] }) => ({
      load: { kind: "session", owner: "ann", key: id },
      decide: (stream) => ({
        appends: [
          moreLines(first ?? { id: A, seq: 0 }),
          stream ? moreLines(stream) : newNotebook(id),
        ],
      }),
    }),
  };
}
