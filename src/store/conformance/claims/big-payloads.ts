import { expect } from "vitest";
import { LIMITS } from "../../../contract/limits.ts";
import { loadStream, readRows } from "../../read-streams.ts";
import type { Transaction } from "../../stream-store.ts";
import { readFeed } from "../follow-feed.ts";
import {
  begin,
  blindly,
  countTo,
  idOf,
  keep,
  keyed,
  moreLines,
  newNotebook,
  rowOf,
  textsOf,
  write,
} from "../notebook.ts";
import { readEverything } from "../read-everything.ts";
import type { Suite } from "../suite.ts";
import { readLog } from "../turn-pages.ts";

const [A, B] = [idOf(1), idOf(2)];
const megabyte = 1024 * 1024;
/** The bytes of a line's body besides its text. */
const frame = JSON.stringify({ text: "" }).length;

export function bigPayloads({ it }: Suite): void {
  it("stores bodies, heads and rows of a megabyte", async ({ open, close }) => {
    const store = await open();
    const text = "0123456789abcdef".repeat(megabyte / 16);
    await keep(store, begin(A, { lines: [text], rows: [rowOf(1, 1, { text })] }));
    await close(store);
    const again = await open();
    expect(textsOf(await readLog(again, A))).toEqual([text]);
    expect(textsOf(await readFeed(again, ""))).toEqual([text]);
    expect(await loadStream(again, { id: A })).toMatchObject({ head: { last: text } });
    expect(await readRows(again, A, { kind: "item" })).toMatchObject([{ data: { text } }]);
  });

  it("stores a body of exactly the limit", async ({ open }) => {
    const store = await open();
    const text = "x".repeat(LIMITS.BODY_BYTES - frame);
    await keep(store, begin(A, { lines: ["small"] }));
    await keep(store, big(text));
    expect(textsOf(await readLog(store, A))).toEqual(["small", text]);
  });

  it("refuses a larger body and stores nothing of its transaction", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A));
    const before = await readEverything(store);
    const tooLarge = { kind: "refused", refusal: { error: "too_large" } };
    const text = "x".repeat(LIMITS.BODY_BYTES - frame + 1);
    expect(await store.transact(keyed(big(text), "k"))).toMatchObject(tooLarge);
    const small = newNotebook(B, { names: ["red"] });
    const large = { ...moreLines({ id: A, seq: 1 }, { lines: ["fits", text] }), head: {} };
    expect(await store.transact(blindly(small, large))).toMatchObject(tooLarge);
    expect(await readEverything(store)).toEqual(before);
    expect(await store.transact(keyed(write(A), "k"))).toMatchObject({ kind: "committed" });
  });

  it("counts bytes, not characters", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A));
    const [fits, tooLarge] = [0, 1].map((more) =>
      "é".repeat(Math.floor((LIMITS.BODY_BYTES - frame) / 2) + more),
    );
    expect(await store.transact(big(tooLarge ?? ""))).toMatchObject({ kind: "refused" });
    expect(await store.transact(big(fits ?? ""))).toMatchObject({ kind: "committed" });
  });

  it("stores many bodies in one append, and returns them in pages", async ({ open }) => {
    const store = await open();
    const lines = countTo(300).map((n) => `${n} ${"x".repeat(10_000)}`);
    await keep(store, begin(A, { lines }));
    expect(textsOf(await readLog(store, A, 70))).toEqual(lines);
  });
}

/** Only bodies are limited, so the head stays small here. */
function big(text: string): Transaction {
  return blindly({ ...moreLines({ id: A, seq: 1 }, { lines: [text] }), head: { lines: 2 } });
}
