import { expect } from "vitest";
import { refuse } from "../../../contract/errors.ts";
import { loadStream } from "../../read-streams.ts";
import type { Outcome, Transaction } from "../../stream-store.ts";
import { begin, countTo, idOf, keep, moreLines, textsOf, write } from "../notebook.ts";
import type { Suite } from "../suite.ts";
import { readLog } from "../turn-pages.ts";

const A = idOf(1);

export function expectedVersion({ it }: Suite): void {
  it("passes a decision the current seq, to compare with the expected one", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A));
    expect(await store.transact(writeAt(1, "two"))).toMatchObject({ kind: "committed" });
    expect(await store.transact(writeAt(1, "late"))).toMatchObject({
      kind: "refused",
      refusal: { error: "version_conflict", details: { expected: 1, found: 2 } },
    });
    expect(await store.transact(writeAt(3, "early"))).toMatchObject({ kind: "refused" });
    expect(textsOf(await readLog(store, A))).toEqual(["a line", "two"]);
  });

  it("accepts only one of 16 writes that expect the same version", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A));
    const outcomes = await Promise.all(
      countTo(16).map((n) => store.transact(writeAt(1, `writer ${n}`))),
    );
    expectOneWinner(outcomes);
    expect(await loadStream(store, { id: A })).toMatchObject({ seq: 2 });
  });

  it("accepts only one write if two handles expect the same version", async ({ open }) => {
    const [one, other] = [await open(), await open()];
    await keep(one, begin(A));
    for (const seq of countTo(20)) {
      expectOneWinner(
        await Promise.all([one, other].map((store) => store.transact(writeAt(seq, "raced")))),
      );
    }
    expect(await loadStream(other, { id: A })).toMatchObject({ seq: 21 });
  });

  it("refuses a write if another handle wrote after the version was read", async ({ open }) => {
    const [one, other] = [await open(), await open()];
    const { seq } = await keep(one, begin(A));
    await keep(other, write(A));
    expect(await one.transact(writeAt(seq, "late"))).toMatchObject({ kind: "refused" });
  });
}

function writeAt(expected: number, text: string): Transaction {
  return {
    streams: [{ id: A }],
    decide: ({ streams: [stream] }) => {
      const found = stream?.seq ?? 0;
      if (found !== expected) {
        return { refused: refuse("version_conflict", "moved on", { expected, found }) };
      }
      return { appends: [moreLines({ id: A, seq: found }, { lines: [text] })] };
    },
  };
}

function expectOneWinner(outcomes: readonly Outcome[]): void {
  expect(outcomes.filter(({ kind }) => kind === "committed")).toHaveLength(1);
  expect(outcomes.filter(({ kind }) => kind === "refused")).toHaveLength(outcomes.length - 1);
}
