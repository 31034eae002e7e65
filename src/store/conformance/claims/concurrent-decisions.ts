import { expect } from "vitest";
import { refuse } from "../../../contract/errors.ts";
import { isRecord } from "../../../contract/is-record.ts";
import { loadStream } from "../../read-streams.ts";
import type { StreamStore, Transaction } from "../../stream-store.ts";
import { begin, countTo, idOf, keep, moreLines, newNotebook, rowOf, textsOf } from "../notebook.ts";
import type { Suite } from "../suite.ts";
import { readLog } from "../turn-pages.ts";

const [A, B] = [idOf(1), idOf(2)];

export function concurrentDecisions({ it }: Suite): void {
  it("applies 64 decisions to one stream at once, each on the result of the previous one", async ({
    open,
  }) => {
    const store = await open();
    await keep(store, begin(A));
    const words = countTo(64).map((n) => `w${n}`);
    const kept = await Promise.all(words.map((word) => keep(store, writeWhatItSees(A, word))));

    expect(new Set(kept.map(({ seq }) => seq))).toEqual(new Set(countTo(64).map((n) => n + 1)));
    for (const stream of kept) expect(stream.head).toMatchObject({ lines: stream.seq });
    await expectEachSawTheOneBefore(store, A, words);
  });

  it("applies 64 decisions to 64 streams at once", async ({ open }) => {
    const store = await open();
    const ids = countTo(64).map(idOf);
    const words = ["one", "two", "three", "four"];
    await Promise.all(ids.map((id) => keep(store, begin(id))));
    await Promise.all(
      words.flatMap((word) => ids.map((id) => keep(store, writeWhatItSees(id, word)))),
    );
    for (const id of ids) await expectEachSawTheOneBefore(store, id, words);
  });

  it("passes each decision the rows that the previous one left", async ({ open }) => {
    const store = await open();
    await keep(store, begin(A));
    const countRows: Transaction = {
      streams: [{ id: A }],
      reads: [{ stream: 0, query: { kind: "item" } }],
      decide: ({ streams: [stream], rows: [rows] }) => {
        const seq = (stream?.seq ?? 0) + 1;
        const lines = [`after ${rows?.length} rows`];
        return {
          appends: [moreLines({ id: A, seq: seq - 1 }, { lines, rows: [rowOf(seq, seq, {})] })],
        };
      },
    };
    await Promise.all(countTo(16).map(() => keep(store, countRows)));
    const [, ...texts] = textsOf(await readLog(store, A));
    expect(texts).toEqual(countTo(16).map((n) => `after ${n - 1} rows`));
  });

  it("applies decisions that declare the same two streams in opposite orders", async ({ open }) => {
    const stores = [await open(), await open()];
    const [first] = stores;
    if (first) for (const id of [A, B]) await keep(first, begin(id));
    const both = (ids: readonly string[]): Transaction => ({
      streams: ids.map((id) => ({ id })),
      decide: ({ streams }) => ({
        appends: streams.flatMap((stream) => (stream ? moreLines(stream) : [])),
      }),
    });
    await Promise.all(
      countTo(16).flatMap(() =>
        stores.flatMap((store) => [keep(store, both([A, B])), keep(store, both([B, A]))]),
      ),
    );
    for (const id of [A, B])
      expect(first && (await loadStream(first, { id }))).toMatchObject({ seq: 65 });
  });

  it("lets only one of 64 decisions create a key, and shows its stream to the others", async ({
    open,
  }) => {
    const store = await open();
    const outcomes = await Promise.all(
      countTo(64).map((n) =>
        store.transact({
          streams: [{ kind: "session", owner: "ann", key: "wanted" }],
          decide: ({ streams: [stream] }) =>
            stream
              ? { refused: refuse("session_exists", "taken", { by: stream.id }) }
              : { appends: [newNotebook(idOf(n), { key: "wanted" })] },
        }),
      ),
    );
    const winner = await loadStream(store, { kind: "session", owner: "ann", key: "wanted" });
    expect(outcomes.filter(({ kind }) => kind === "committed")).toHaveLength(1);
    const refused = outcomes.flatMap((each) => (each.kind === "refused" ? each.refusal : []));
    expect(refused).toHaveLength(63);
    for (const refusal of refused) expect(refusal.details).toEqual({ by: winner?.id });
  });
}

/** Each line starts with a word of its own and ends with the word of the previous line, as the head had it. */
function writeWhatItSees(id: string, word: string): Transaction {
  return {
    streams: [{ id }],
    decide: ({ streams: [stream] }) => {
      const { seq = 0, head } = stream ?? {};
      const lines = [`${word} at ${seq} after ${firstWord(lastLine(head))}`];
      return { appends: [moreLines({ id, seq }, { lines })] };
    },
  };
}

async function expectEachSawTheOneBefore(store: StreamStore, id: string, words: readonly string[]) {
  const texts = textsOf(await readLog(store, id));
  expect(texts.slice(1).map(firstWord).sort()).toEqual(words.toSorted());
  for (const [index, text] of texts.slice(1).entries()) {
    const seq = index + 1;
    expect(text).toBe(`${firstWord(text)} at ${seq} after ${firstWord(texts[index])}`);
  }
}

function lastLine(head: unknown): unknown {
  return isRecord(head) ? head.last : undefined;
}

function firstWord(text: unknown): string {
  return `${text}`.split(" ")[0] ?? "";
}
