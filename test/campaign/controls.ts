import { refuse } from "../../src/contract/errors.ts";
import { changeVerdict } from "../../src/store/append-rules.ts";
import { loadStream } from "../../src/store/read-streams.ts";
import type {
  LeaseAnswer,
  Loaded,
  StoredEvent,
  StreamStore,
} from "../../src/store/stream-store.ts";
import type { Ways } from "./program.ts";
import { SOUND } from "./program.ts";

/** Setups that are broken on purpose. The campaign must find a fault in each of them. */
export interface Control {
  readonly ways: Ways;
  readonly program: (store: StreamStore) => StreamStore;
  readonly recovery: (store: StreamStore) => StreamStore;
  /** The fault that must be found. */
  readonly shows: "lost" | "duplicated";
}

const same = (store: StreamStore): StreamStore => store;
const plain = { ways: SOUND, program: same, recovery: same } as const;

export const CONTROLS = {
  "a stale driver is let in": { ...plain, program: withoutFence, shows: "duplicated" },
  "the effect comes before its intent": {
    ...plain,
    ways: { ...SOUND, intentFirst: false },
    shows: "duplicated",
  },
  "recovery repeats what is unknown": { ...plain, recovery: harmlessToAll, shows: "duplicated" },
  "a key is made anew for each try": {
    ...plain,
    ways: { ...SOUND, sameKey: false },
    shows: "duplicated",
  },
  "results are acknowledged and not kept": { ...plain, program: forgetful, shows: "lost" },
} as const satisfies Record<string, Control>;
export type ControlName = keyof typeof CONTROLS;

/** Shows the lease as valid to every process that once held it. */
function withoutFence(store: StreamStore): StreamStore {
  let mine: LeaseAnswer | null = null;
  return {
    ...store,
    lease: async (id, request) => {
      const answer = await store.lease(id, request);
      if ("acquire" in request) mine = answer;
      return answer;
    },
    transact: (transaction) =>
      store.transact({
        ...transaction,
        decide: (loaded) => transaction.decide(mine?.granted ? held(loaded, mine.epoch) : loaded),
      }),
  };
}

function held(loaded: Loaded, epoch: number): Loaded {
  const holder = { name: "program", pid: 1, start_time: null, boot_id: null };
  const lease = { epoch, holder, live: true };
  return { ...loaded, streams: loaded.streams.map((stream) => stream && { ...stream, lease }) };
}

/** Shows every action as one without outside effects. */
function harmlessToAll(store: StreamStore): StreamStore {
  return {
    ...store,
    read: async (...asked) =>
      (await store.read(...asked)).map(
        (part) =>
          part && { ...part, events: part.events.map((events) => events.map(showHarmless)) },
      ),
  };
}

function showHarmless(event: StoredEvent): StoredEvent {
  return event.type === "action.started" && typeof event.data === "object"
    ? { ...event, data: { ...event.data, effects: "local" } }
    : event;
}

/** Acknowledges results of actions, and stores none of them. */
function forgetful(store: StreamStore): StreamStore {
  return {
    ...store,
    transact: async (transaction) => {
      const probe = await store.transact({
        ...transaction,
        decide: (loaded) =>
          changeVerdict(transaction.decide(loaded), (verdict) => {
            const isResult =
              "appends" in verdict &&
              verdict.appends.some(({ events }) =>
                events.some(({ type }) => type === "action.completed"),
              );
            return isResult ? { refused: FORGOTTEN } : verdict;
          }),
      });
      if (probe.kind !== "refused" || probe.refusal !== FORGOTTEN) return probe;
      const [first] = transaction.streams;
      const stream = first && (await loadStream(store, first));
      return stream ? { kind: "committed", streams: [stream] } : probe;
    },
  };
}

const FORGOTTEN = refuse("internal", "forgotten");
