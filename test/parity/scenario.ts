import type { OperationName, Output } from "../../src/contract/operations.ts";
import { recordOf } from "../serve/server-process.ts";
import type { Answer, Door, Fields } from "./door.ts";
import { normalise } from "./normalise.ts";
import type { ServiceDoor } from "./service-door.ts";

/** The answers of earlier steps, by their names. */
export type Earlier = (name: string) => Fields;

export interface Step {
  readonly operation: OperationName;
  readonly input: Fields | ((earlier: Earlier) => Fields);
  /** The name of its answer for later steps. */
  readonly as?: string;
}

export interface Played {
  readonly folder: string;
  readonly steps: readonly {
    readonly step: Step;
    readonly input: Fields;
    readonly answer: Answer;
  }[];
  /** The operations that the interface itself ran. */
  readonly through: ReadonlySet<OperationName>;
  readonly logs: unknown;
}

/** Plays a scenario through an interface; the service on the same data runs missing operations. */
export async function play(
  scenario: readonly Step[],
  door: Door,
  service: ServiceDoor,
  folder: string,
): Promise<Played> {
  const known = new Map<string, Fields>();
  const through = new Set<OperationName>();
  const steps: Played["steps"][number][] = [];
  for (const step of scenario) {
    const input = typeof step.input === "function" ? step.input(earlierIn(known)) : step.input;
    const asked = door.call(step.operation, input);
    if (asked) through.add(step.operation);
    const answer = await (asked ?? service.call(step.operation, input));
    if (step.as !== undefined) known.set(step.as, recordOf(answer.ok ? answer.value : null));
    steps.push({ step, input, answer });
  }
  return { folder, steps, through, logs: await readLogs(service, folder) };
}

/** One line for each step, for comparison with other interfaces. */
export function answersOf({ steps, folder }: Played): readonly unknown[] {
  return steps.map(({ step: { operation }, answer }) => [operation, normalise(answer, folder)]);
}

/** The service's own answers in the form of the interface. */
export function describeAs(reference: Played, door: Door, through: Played["through"]): unknown[] {
  return reference.steps.map(({ step: { operation }, input, answer }) => {
    const value = answer.ok ? answer.value : null;
    const shown =
      answer.ok && through.has(operation) && isOutput(value)
        ? { ok: true, value: door.present(operation, value, input) }
        : answer;
    return [operation, normalise(shown, reference.folder)];
  });
}

/** The service has answered it. */
function isOutput(value: unknown): value is Output<OperationName> {
  return typeof value === "object" && value !== null;
}

function earlierIn(known: ReadonlyMap<string, Fields>): Earlier {
  return (name) => {
    const found = known.get(name);
    if (!found) throw new Error(`no earlier step is called ${name}`);
    return found;
  };
}

/** The whole log of every session and task, and all of them in one order. */
async function readLogs(service: ServiceDoor, folder: string): Promise<unknown> {
  const { events } = await service.perform("events", { limit: 1000 });
  const ids = [...new Set(events.map(({ id }) => id))];
  return normalise(
    { all: events, each: ids.map((id) => events.filter((event) => event.id === id)) },
    folder,
  );
}
