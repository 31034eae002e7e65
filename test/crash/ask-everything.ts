import { BelayError } from "../../src/contract/errors.ts";
import { readHeadAt } from "../../src/service/read/read-head-at.ts";
import type { FeedEvent } from "../../src/store/stream-store.ts";
import { type OpenService, OWNER } from "./open-service.ts";

/** The answer to one question: items by name in the order they were shown, or the code of a refusal. */
export type Answer =
  | { readonly items: ReadonlyMap<string, unknown>; readonly damaged: number }
  | { readonly refused: string };
export type Answers = ReadonlyMap<string, Answer>;

/** The subjects come from the undamaged data, so that every trial asks the same. */
export interface Subjects {
  readonly sessions: readonly {
    readonly id: string;
    readonly entity: string;
    readonly seq: number;
  }[];
  readonly checkpoints: readonly { readonly id: string; readonly name: string }[];
  readonly names: readonly string[];
}

/** Calls every query of the service, and reads the store behind it. */
export async function askEverything(service: OpenService, subjects: Subjects): Promise<Answers> {
  const answers = new Map<string, Answer>();
  for (const [question, ask] of questions(service, subjects)) {
    answers.set(question, await answer(ask));
  }
  return answers;
}

type Ask = () => Promise<readonly [name: string, shown: unknown][] | Shown>;
interface Shown {
  readonly items: readonly (readonly [name: string, shown: unknown])[];
  /** Items that the answer itself reports as unreadable. */
  readonly damaged: number;
}

function* questions(service: OpenService, subjects: Subjects): Generator<[string, Ask]> {
  const { call, store } = service;
  for (const filter of LISTS) {
    yield [`list ${JSON.stringify(filter)}`, () => list(service, filter)];
  }
  for (const { id, entity, seq } of subjects.sessions) {
    yield [`get ${id}`, async () => [[id, await call("get", { id })]]];
    yield [`get by entity ${id}`, async () => [[id, await call("get", { id: entity })]]];
    yield [
      `should resume ${id}`,
      async () => {
        const advice = await call("should_resume", { id });
        return advice.reason === "session_not_found" ? [] : [[id, advice]];
      },
    ];
    yield [`log ${id}`, async () => bySeq((await call("log", { id, limit: 1000 })).events)];
    yield [`turns ${id}`, async () => bySeq((await call("turns", { id, limit: 1000 })).turns)];
    yield [`audit ${id}`, async () => bySeq((await call("audit", { id, limit: 1000 })).events)];
    yield [
      `checkpoints ${id}`,
      async () => {
        const { checkpoints } = await call("list_checkpoints", { id });
        return checkpoints.map((one) => [one.name, one]);
      },
    ];
    for (const at of [1, Math.ceil(seq / 2), seq - 1]) {
      yield [
        `head ${id} at ${at}`,
        async () => {
          const head = await readHeadAt(store, entity, at);
          return head ? [[id, head]] : [];
        },
      ];
    }
  }
  for (const { id, name } of subjects.checkpoints) {
    yield [
      `checkpoint ${id} ${name}`,
      async () => [[name, await call("show_checkpoint", { id, name })]],
    ];
  }
  for (const name of subjects.names) {
    yield [
      `name ${name}`,
      async () => {
        const places = await store.findByName(OWNER, name, { limit: 10 });
        return places.map((place) => [place.cursor, place]);
      },
    ];
  }
  for (const entity_id of ["bucket-1", "release-7", "T001", "thing-2"]) {
    yield [
      `timeline ${entity_id}`,
      async () => {
        const { events } = await call("timeline", { entity_id });
        return events.map((event) => [JSON.stringify(event), event]);
      },
    ];
  }
  yield [
    "spans T001",
    async () => {
      const { sessions } = await call("spans", { entity_id: "T001" });
      return sessions.flatMap(({ session_id, spans }) =>
        spans.map((span): [string, unknown] => [`${session_id} ${JSON.stringify(span)}`, span]),
      );
    },
  ];
  yield [
    "approvals",
    async () => {
      const { approvals } = await call("list_approvals", {});
      return approvals.map((one) => [one.approval_id, one]);
    },
  ];
  yield [
    "tasks",
    async () => (await call("list_tasks", {})).tasks.map((task) => [task.task_id, task]),
  ];
  yield [
    "feed",
    async () => {
      const events = await readWholeFeed(store);
      return events.map((event) => [`${event.stream} ${event.seq}`, event]);
    },
  ];
}

const LISTS = [
  {},
  { archived: true, failed: true },
  { deleted: true },
  { active_only: true },
  { agent: "architect" },
  { agent: "architect", status: ["active", "suspended"] },
  { task_id: "T001" },
  { project: "/srv/app" },
  { phase: "executing" },
] as const;

async function list({ call }: OpenService, filter: object): Promise<Shown> {
  const { sessions, damaged } = await call("list", { ...filter, limit: 100 });
  return {
    items: sessions.map((session) => [session.session_id, session]),
    damaged: damaged.length,
  };
}

export async function readWholeFeed(store: OpenService["store"]): Promise<FeedEvent[]> {
  const events: FeedEvent[] = [];
  for (let after = "0"; ; ) {
    const page = await store.readFeed({ after, limit: 1000 });
    if (page.events.length === 0) return events;
    if (Number(page.cursor) <= Number(after)) throw new Error("the feed goes round in circles");
    events.push(...page.events);
    after = page.cursor;
  }
}

function bySeq(items: readonly { readonly seq: number }[]): [string, unknown][] {
  return items.map((item) => [String(item.seq), item]);
}

async function answer(ask: Ask): Promise<Answer> {
  try {
    const shown = await ask();
    if ("items" in shown) return { items: new Map(shown.items), damaged: shown.damaged };
    return { items: new Map(shown), damaged: 0 };
  } catch (error) {
    return { refused: error instanceof BelayError ? error.code : `untyped: ${error}` };
  }
}
