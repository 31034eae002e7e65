import { expect } from "vitest";
import { refuse } from "../../../contract/errors.ts";
import { loadStream } from "../../read-streams.ts";
import type { Transaction } from "../../stream-store.ts";
import { begin, idOf, keep, rowOf, write } from "../notebook.ts";
import { readEverything } from "../read-everything.ts";
import type { Suite } from "../suite.ts";

const A = idOf(1);
const enough = refuse("limit_reached", "enough is enough", { limit: 3, seen: ["a", "b"] });

export function refusal({ it }: Suite): void {
  it("returns the refusal of the decision unchanged", async ({ open }) => {
    const store = await open();
    const outcome = await store.transact(refusing([{ id: A }]));
    expect(outcome).toEqual({ kind: "refused", refusal: enough });
  });

  it("stores nothing in an empty store", async ({ open }) => {
    const store = await open();
    const before = await readEverything(store);
    await store.transact(refusing([{ id: A }]));
    await store.transact(refusing([{ kind: "session", owner: "ann", key: "never" }]));

    expect(await readEverything(store)).toEqual(before);
    expect(
      await loadStream(store, { kind: "session", owner: "ann", key: "never" }),
    ).toBeUndefined();
    await keep(store, begin(A, { key: "never" }));
  });

  it("leaves a stream unchanged", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A, { rows: [rowOf(1, 1, { text: "one" })], names: ["red"] }));
    const before = await readEverything(store);
    await store.transact(refusing([{ id: A }]));

    expect(await readEverything(store)).toEqual(before);
    expect(await keep(store, write(A))).toMatchObject({ seq: 2 });
  });

  it("refuses one of several concurrent transactions without affecting the others", async ({
    open,
  }) => {
    const store = await open();
    await keep(store, begin(A));
    const outcomes = await Promise.all(
      [write(A), refusing([{ id: A }]), write(A)].map((each) => store.transact(each)),
    );
    expect(outcomes.map(({ kind }) => kind)).toEqual(["committed", "refused", "committed"]);
    expect(await loadStream(store, { id: A })).toMatchObject({ seq: 3, head: { lines: 3 } });
  });
}

function refusing(streams: Transaction["streams"]): Transaction {
  return { streams, decide: () => ({ refused: enough }) };
}
