import { createService } from "../../../src/compose-service.ts";
import { BelayError } from "../../../src/contract/errors.ts";
import type { ServiceContext } from "../../../src/service/service-context.ts";
import { verifyStreams } from "../../../src/service/verify-streams.ts";
import { openMemoryStore } from "../../../src/store/memory/memory-store.ts";
import type { StreamStore } from "../../../src/store/stream-store.ts";
import { CALLER } from "../door.ts";
import type { Verdict } from "../judge.ts";
import { judge } from "../judge.ts";
import { mortalStore } from "../mortal-store.ts";
import type { Beat } from "../outside.ts";
import { answerAll } from "../person.ts";
import type { Ways } from "../program.ts";
import { NotRecovered, runProgram, SOUND } from "../program.ts";
import type { Scenario } from "../scenario.ts";
import type { Machine } from "./machine.ts";
import { newMachine, now } from "./machine.ts";

/**
 * A death after this many beats from the previous one. A pause looks like a death to all others, until the process
 * wakes.
 */
export interface Death {
  readonly at: number;
  readonly pause?: "until recovered" | "until answered" | "until the end" | "while others work";
  /** With the last one: the beat of the next program at which it wakes. */
  readonly wake?: number;
}

export interface Faults {
  readonly ways?: Ways;
  /** Wraps the store of the program, or of recovery. */
  readonly program?: (store: StreamStore) => StreamStore;
  readonly recovery?: (store: StreamStore) => StreamStore;
}

export interface Life extends Verdict {
  /** The number of given deaths that happened; fewer if it was over before. */
  readonly deaths: number;
  /** Beats after the last death. */
  readonly beats: number;
}

class Dead extends Error {}

const LONGER_THAN_PATIENCE = 31 * 60_000;
const MOST_ROUNDS = 12;

/** Runs one scenario on a machine of its own, with deaths at the given moments, to its end. */
export async function liveThrough(
  scenario: Scenario,
  deaths: readonly Death[],
  faults: Faults = {},
): Promise<Life> {
  const machine = newMachine();
  const fate = { beats: 0, next: 0 };
  const other: string[] = [];
  const sleepers: { until: Death["pause"]; at: number; wake(): Promise<void> }[] = [];

  const awake: Promise<void>[] = [];

  /** Runs one process until it ends, dies or is paused. True if it ended by itself. */
  const run = async (
    work: (context: ServiceContext, beat: Beat) => Promise<void>,
    wrap: (store: StreamStore) => StreamStore = (store) => store,
    isProgram = false,
  ): Promise<boolean> => {
    machine.processes += 1;
    const me = machine.processes;
    now.machine = machine;
    now.process = me;
    let mine = 0;
    let state: "alive" | "dead" | "asleep" | "woken" = "alive";
    const sleep = Promise.withResolvers<void>();
    const paused = Promise.withResolvers<"paused">();
    const beat: Beat = () => {
      if (state === "dead") throw new Dead();
      if (state === "asleep") return sleep.promise;
      if (state === "woken") return undefined;
      fate.beats += 1;
      mine += 1;
      const death = deaths[fate.next];
      if (!death || fate.beats < death.at) {
        const beside = isProgram ? wakeBeside(me, mine) : undefined;
        // Parallel work of this process may have ended it.
        return beside?.then(() => {
          if (state === "dead") throw new Dead();
        });
      }
      fate.next += 1;
      fate.beats = 0;
      machine.dead.add(me);
      state = death.pause ? "asleep" : "dead";
      if (state === "dead") throw new Dead();
      const wake = async (): Promise<void> => {
        state = "woken";
        now.process = me;
        sleep.resolve();
        await whole;
      };
      sleepers.push({ until: death.pause, at: death.wake ?? 0, wake });
      paused.resolve("paused");
      return sleep.promise;
    };
    const context = contextOf(machine, wrap(mortalStore(openDisk(machine), beat)));
    const whole = work(context, beat).then(
      () => "ended" as const,
      (error) => {
        if (!(error instanceof Dead) && !isFenced(error, state)) other.push(describeError(error));
        return "failed" as const;
      },
    );
    const end = await Promise.race([whole, paused.promise]);
    // A process that was woken next to it ends by itself.
    await Promise.all(awake.splice(0));
    if (end === "ended") return true;
    machine.clock += LONGER_THAN_PATIENCE;
    return false;
  };
  /** The sleeper wakes while another process works on the session. */
  const wakeBeside = (me: number, beat: number): Promise<void> | undefined => {
    const nth = sleepers.findIndex((one) => one.until === "while others work" && one.at === beat);
    const [sleeper] = nth < 0 ? [] : sleepers.splice(nth, 1);
    if (!sleeper) return undefined;
    const woken = sleeper.wake().then(() => {
      now.process = me;
    });
    awake.push(woken);
    return woken;
  };
  const wake = async (until: Death["pause"]): Promise<void> => {
    for (const sleeper of sleepers.filter((one) => one.until === until)) {
      sleepers.splice(sleepers.indexOf(sleeper), 1);
      await sleeper.wake();
    }
  };

  const program = () =>
    run(
      (context, beat) => runProgram(context, machine.outside, beat, scenario, faults.ways ?? SOUND),
      faults.program,
      true,
    );
  let isOver = await program();
  for (let round = 0; !isOver && other.length === 0; round += 1) {
    if (round === MOST_ROUNDS) other.push("it does not come to an end");
    if (!(await run(recoverAll, faults.recovery))) continue;
    if (fate.next <= deaths.length) other.push(...(await findChange(machine, faults)));
    await wake("until recovered");
    const person = (context: ServiceContext) =>
      answerAll(context, machine.outside, () => scenario.answer);
    if (!(await run(person))) continue;
    await wake("until answered");
    isOver = await program();
  }
  await wake("until the end");
  await wake("while others work");
  if (other.length === 0) other.push(...(await findChange(machine, faults)));
  const verdict = await judgeMachine(machine, scenario);
  return {
    ...verdict,
    other: [...verdict.other, ...other],
    deaths: fate.next,
    beats: fate.beats,
  };
}

function openDisk({ disk, dead }: Machine): StreamStore {
  return openMemoryStore({
    shared: disk,
    isAlive: ({ start_time }) => start_time === null || !dead.has(start_time),
  });
}

function contextOf(machine: Machine, store: StreamStore): ServiceContext {
  return {
    store,
    now: () => {
      machine.clock += 1;
      return machine.clock;
    },
    newId: () => {
      machine.ids += 1;
      return `01990000-0000-7000-8000-${machine.ids.toString(16).padStart(12, "0")}`;
    },
  };
}

async function recoverAll(context: ServiceContext): Promise<void> {
  const { failed } = await createService(context).call("recover", {}, CALLER);
  for (const { session_id, why } of failed) throw new Error(`${session_id}: ${why}`);
}

/** A repeated recovery finds nothing to do. */
async function findChange(machine: Machine, faults: Faults): Promise<string[]> {
  const before = machine.disk.feed.length;
  machine.processes += 1;
  now.process = machine.processes;
  const store = faults.recovery?.(openDisk(machine)) ?? openDisk(machine);
  await recoverAll(contextOf(machine, store));
  return machine.disk.feed.length === before ? [] : ["recovery changes something the second time"];
}

async function judgeMachine(machine: Machine, scenario: Scenario): Promise<Verdict> {
  const { acknowledged, effects } = machine;
  const store = openDisk(machine);
  const service = createService(contextOf(machine, store));
  const found: string[] = [];
  for await (const { what } of verifyStreams(store)) found.push(`verify: ${what}`);
  if (!acknowledged.some(({ type }) => type === "session.created")) {
    const log = await service.call("log", { id: scenario.session }, CALLER).catch(() => null);
    if (!log) return { lost: [], duplicated: [], other: found, listed: 0, acknowledged: 0 };
  }
  const { events: log } = await service.call("log", { id: scenario.session, limit: 1000 }, CALLER);
  const verdict = judge({ scenario, log, acknowledged, effects });
  return { ...verdict, other: [...verdict.other, ...found] };
}

const REPLACED: ReadonlySet<string> = new Set(["lease_lost", "session_held"]);

/** A process that was replaced while it slept is refused, and stops. */
function isFenced(error: unknown, state: string): boolean {
  if (state !== "woken") return false;
  return error instanceof NotRecovered || (error instanceof BelayError && REPLACED.has(error.code));
}

function describeError(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
