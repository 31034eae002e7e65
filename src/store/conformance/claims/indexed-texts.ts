import { expect } from "vitest";
import {
  type Append,
  type Idempotency,
  MAX_INDEXED_BYTES,
  type Transaction,
} from "../../stream-store.ts";
import { blindly, idOf, keep, moreLines, newNotebook, rowOf } from "../notebook.ts";
import { readEverything } from "../read-everything.ts";
import type { Suite } from "../suite.ts";

const [A, B] = [idOf(1), idOf(2)];

export function indexedTexts({ it }: Suite): void {
  for (const [field, put] of Object.entries(fields)) {
    it(`accepts ${field} of ${MAX_INDEXED_BYTES} bytes and refuses texts that cannot be indexed`, async ({
      open,
    }) => {
      const store = await open();
      await keep(store, blindly(newNotebook(A)));
      const before = await readEverything(store);
      for (const text of unfit) {
        const outcome = await store.transact(putting(put(text), newNotebook(idOf(3))));
        expect(outcome).toMatchObject({ kind: "refused", refusal: { error: "invalid_input" } });
      }
      expect(await readEverything(store)).toEqual(before);
      await keep(store, putting(put(longest)));
    });
  }
}

function putting({ idempotency, ...append }: ReturnType<Put>, ...others: Append[]): Transaction {
  return { ...blindly(...others, append), ...(idempotency && { idempotency }) };
}

const longest = "é".repeat(MAX_INDEXED_BYTES / 2);
const unfit = [
  "a\u0000b",
  "half \ud83d",
  "\ude42 half",
  "x".repeat(MAX_INDEXED_BYTES + 1),
  `${longest}x`,
];

type Put = (text: string) => Append & { readonly idempotency?: Idempotency };

const more = moreLines({ id: A, seq: 1 });
const [event] = more.events;

const fields: Readonly<Record<string, Put>> = {
  "a key": (key) => newNotebook(B, { key }),
  "an owner": (owner) => newNotebook(B, { owner }),
  "a name": (name) => ({ ...more, names: ["fine", name] }),
  "the key of a row": (key) => ({ ...more, rows: [rowOf(2, 2, {}, { key })] }),
  "an idempotency key": (key) => ({ ...more, idempotency: { scope: "s", key, digest: "d" } }),
  "the type of an event": (type) => ({ ...more, events: event ? [{ ...event, type }] : [] }),
  "an actor": (actor) => ({ ...more, events: event ? [{ ...event, actor }] : [] }),
  "the interface of an event": (text) => ({
    ...more,
    events: event ? [{ ...event, interface: text }] : [],
  }),
  "a trace_id": (trace_id) => ({ ...more, events: event ? [{ ...event, trace_id }] : [] }),
  ...Object.fromEntries(
    (["status", "phase", "agent", "interface", "project", "task"] as const).map((field) => [
      `a listed ${field}`,
      (text: string) => ({ ...more, listing: { ...more.listing, [field]: text } }),
    ]),
  ),
};
