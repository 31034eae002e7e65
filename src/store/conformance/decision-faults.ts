import { setImmediate } from "node:timers/promises";
import { refuse } from "../../contract/errors.ts";
import { changeVerdict } from "../append-rules.ts";
import type { Decision, StoredStream } from "../stream-store.ts";
import { decideApart, type Fault, seeFurther } from "./break-store.ts";
import { begin, idOf } from "./notebook.ts";

/** Stores that run decisions wrongly, by their fault. */
export const decisionFaults = {
  "stores appends one by one": (store) => ({
    ...store,
    transact: async (transaction) => {
      const decision = await decideApart(store, transaction);
      if (!("appends" in decision)) return store.transact(transaction);
      const streams = [];
      for (const append of decision.appends) {
        const outcome = await store.transact({
          ...transaction,
          decide: () => ({ appends: [append] }),
        });
        if (outcome.kind === "committed") streams.push(...outcome.streams);
      }
      return { kind: "committed", streams };
    },
  }),

  "runs decisions on outdated streams": (store) => ({
    ...store,
    transact: async (transaction) => {
      const decision = await decideApart(store, transaction);
      return store.transact({ ...transaction, decide: () => decision });
    },
  }),

  "overwrites concurrent appends": (store) => ({
    ...store,
    transact: async (transaction) => {
      const decision = await decideApart(store, transaction);
      if (!("appends" in decision)) return { kind: "refused", refusal: decision.refused };
      await setImmediate();
      return store.transact({
        ...transaction,
        decide: ({ streams }) => ({
          appends: decision.appends.map((append) => {
            const seq = streams.find((stream) => stream?.id === append.id)?.seq ?? 0;
            const events = append.events.map((event, n) => ({ ...event, seq: seq + n + 1 }));
            return append.create ? append : { ...append, events };
          }),
        }),
      });
    },
  }),

  "loads a further stream too early": (store) => ({
    ...store,
    transact: async (transaction) => {
      const looked = refuse("internal", "looked");
      let early: StoredStream | undefined;
      const decideWith = (decide: (decision: Decision) => Decision) =>
        store.transact({ ...transaction, decide: (loaded) => decide(transaction.decide(loaded)) });
      await decideWith((decision) =>
        changeVerdict(
          seeFurther(decision, (stream) => (early = stream)),
          () => ({ refused: looked }),
        ),
      );
      return decideWith((decision) => seeFurther(decision, () => early));
    },
  }),

  "stores something after a refusal": (store) => ({
    ...store,
    transact: async (transaction) => {
      const outcome = await store.transact(transaction);
      if (outcome.kind === "refused") await store.transact(begin(idOf(12)));
      return outcome;
    },
  }),
} as const satisfies Readonly<Record<string, Fault>>;
