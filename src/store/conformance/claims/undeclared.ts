import { expect } from "vitest";
import type { Append, StreamRef } from "../../stream-store.ts";
import { begin, idOf, keep, moreLines, newNotebook } from "../notebook.ts";
import { readEverything } from "../read-everything.ts";
import type { Suite } from "../suite.ts";

const [A, B, C] = [idOf(1), idOf(2), idOf(3)];
const keyOf = (key: string) => ({ kind: "session", owner: "ann", key }) as const;

export function undeclared({ it }: Suite): void {
  for (const [what, [append, ...streams]] of Object.entries(undeclaredAppends)) {
    it(`throws on ${what}, and stores nothing`, async ({ open }) => {
      const store = await open();
      for (const id of [A, B]) await keep(store, begin(id));
      const before = await readEverything(store);
      const declared = moreLines({ id: A, seq: 1 });
      const decide = () => ({ appends: [declared, append] });
      await expect(store.transact({ streams: [{ id: A }, ...streams], decide })).rejects.toThrow();
      expect(await readEverything(store)).toEqual(before);
    });
  }

  it("accepts declarations by id or by key, in any order", async ({ open }) => {
    const store = await open();
    for (const id of [A, B]) await keep(store, begin(id));
    const appends = [
      newNotebook(C, { base: { id: B, seq: 1 } }),
      moreLines({ id: A, seq: 1 }),
      newNotebook(idOf(4), { base: { id: A, seq: 1 } }),
    ];
    const streams = [{ id: B }, keyOf(idOf(4)), keyOf(A), keyOf(C)];
    const outcome = await store.transact({ streams, decide: () => ({ appends }) });
    expect(outcome).toMatchObject({ kind: "committed" });
  });
}

const undeclaredAppends: Readonly<Record<string, readonly [Append, ...StreamRef[]]>> = {
  "an append to a stream that was not declared": [moreLines({ id: B, seq: 1 })],
  "the creation of a key that was not declared": [newNotebook(C)],
  "a creation that was declared by its id only": [newNotebook(C), { id: C }],
  "a creation that was declared for another owner": [newNotebook(C), { ...keyOf(C), owner: "bob" }],
  "a fork whose base was not declared": [newNotebook(C, { base: { id: B, seq: 1 } }), keyOf(C)],
};
