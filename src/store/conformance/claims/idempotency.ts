import { expect } from "vitest";
import { loadStream } from "../../read-streams.ts";
import type { Transaction } from "../../stream-store.ts";
import {
  begin,
  blindly,
  countTo,
  idOf,
  keep,
  keyed,
  moreLines,
  newNotebook,
  write,
} from "../notebook.ts";
import { readEverything } from "../read-everything.ts";
import type { Suite } from "../suite.ts";

const [A, B] = [idOf(1), idOf(2)];

export function idempotency({ it }: Suite): void {
  it("answers a repeated request with the seq range of the first", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A));
    const request = keyed(write(A, { lines: ["two", "three"] }), "k");
    expect(await store.transact(request)).toMatchObject({ kind: "committed" });
    await keep(store, write(A));
    const before = await readEverything(store);

    const replayed = { kind: "replayed", id: A, from: 2, to: 3 };
    expect(await store.transact(request)).toEqual(replayed);
    expect(await store.transact(request)).toEqual(replayed);
    expect(await readEverything(store)).toEqual(before);
  });

  it("answers a repeated creation with the stream it created", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A, { lines: ["one", "two"] }));
    const fork = { base: { id: A, seq: 1 }, lines: ["another two"] };
    await keep(store, keyed(begin(B, fork), "k"));
    expect(await store.transact(keyed(begin(idOf(3), fork), "k"))).toEqual({
      kind: "replayed",
      id: B,
      from: 2,
      to: 2,
    });
    expect(await loadStream(store, { id: idOf(3) })).toBeUndefined();
  });

  it("answers a repeated request on several streams with the seq range of its first append", async ({
    open,
  }) => {
    const store = await open();
    await keep(store, begin(A));
    const request = keyed(blindly(newNotebook(B), moreLines({ id: A, seq: 1 })), "k");
    await keep(store, request);
    const replayed = { kind: "replayed", id: B, from: 1, to: 1 };
    expect(await store.transact(request)).toEqual(replayed);
  });

  it("does not run the decision of an answered request again", async ({ open }) => {
    const store = await open();
    await keep(store, keyed(begin(A), "k"));
    const again: Transaction = {
      ...keyed(begin(A), "k"),
      decide: () => {
        throw new Error("run a second time");
      },
    };
    expect(await store.transact(again)).toMatchObject({ kind: "replayed" });
  });

  it("refuses another request under the same key", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A));
    await keep(store, keyed(write(A), "k", "one body"));
    const before = await readEverything(store);

    expect(await store.transact(keyed(write(A), "k", "another body"))).toMatchObject({
      kind: "refused",
      refusal: { error: "idempotency_conflict" },
    });
    expect(await readEverything(store)).toEqual(before);
    const replayed = await store.transact(keyed(write(A), "k", "one body"));
    expect(replayed).toEqual({ kind: "replayed", id: A, from: 2, to: 2 });
  });

  it("treats the same key in another scope as another key", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A));
    for (const scope of ["ann write", "bob write", "ann rename", ""]) {
      await keep(store, keyed(write(A), "k", "body", scope));
    }
    expect(await loadStream(store, { id: A })).toMatchObject({ seq: 5 });
  });

  it("keeps pairs of scope and key apart, even if their joined texts are equal", async ({
    open,
  }) => {
    const store = await open();
    await keep(store, begin(A));
    for (const [scope, key] of [
      ["ab", "c"],
      ["a", "bc"],
      ["a:b", "c"],
      ["a", "b:c"],
      ["a b", "c"],
      ["a", "b c"],
    ] as const) {
      await keep(store, keyed(write(A), key, "body", scope));
    }
    expect(await loadStream(store, { id: A })).toMatchObject({ seq: 7 });
  });

  it("does not remember a refusal", async ({ open }) => {
    const store = await open();
    expect(await store.transact(keyed(write(A), "k"))).toMatchObject({ kind: "refused" });
    await keep(store, begin(A));
    expect(await store.transact(keyed(write(A), "k"))).toMatchObject({ kind: "committed" });
  });

  it("stores exactly one of 32 identical requests that run at once", async ({ open }) => {
    const store = await open();
    const other = await open();
    await keep(store, begin(A));
    const request = keyed(write(A), "k");
    const outcomes = await Promise.all(
      countTo(16).flatMap(() => [store.transact(request), other.transact(request)]),
    );
    expect(outcomes.filter(({ kind }) => kind === "committed")).toHaveLength(1);
    const others = outcomes.filter(({ kind }) => kind !== "committed");
    for (const each of others) expect(each).toEqual({ kind: "replayed", id: A, from: 2, to: 2 });
    expect(await loadStream(other, { id: A })).toMatchObject({ seq: 2 });
  });

  it("stores exactly one of two different requests with one key that run at once", async ({
    open,
  }) => {
    const store = await open();
    await keep(store, begin(A));
    const outcomes = await Promise.all(
      countTo(16).map((n) => store.transact(keyed(write(A), "k", `body ${n % 2}`))),
    );
    const kinds = outcomes.map(({ kind }) => kind).sort();
    expect(kinds.filter((kind) => kind === "committed")).toHaveLength(1);
    expect(kinds.filter((kind) => kind === "replayed")).toHaveLength(7);
    expect(kinds.filter((kind) => kind === "refused")).toHaveLength(8);
    expect(await loadStream(store, { id: A })).toMatchObject({ seq: 2 });
  });
}
