import type { OperationName, Output } from "../../src/contract/operations.ts";
import { recordOf } from "../serve/server-process.ts";
import type { Answer, Door, Fields } from "./door.ts";
import { normalise } from "./normalise.ts";
import type { ServiceDoor } from "./service-door.ts";

/** What earlier steps have answered, by the names that they were given. */
export type Earlier = (name: string) => Fields;

export interface Step {
  readonly operation: OperationName;
  readonly input: Fields | ((earlier: Earlier) => Fields);
  /** By which later steps know its answer. */
  readonly as?: string;
}

export interface Played {
  readonly folder: string;
  readonly steps: readonly {
    readonly step: Step;
    readonly input: Fields;
    readonly answer: Answer;
  }[];
  /** Which operations were done through the door itself. */
  readonly through: ReadonlySet<OperationName>;
  readonly logs: unknown;
}

/** Plays a scenario through a door; what the door does not have is done through the service on the same data. */
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

/** One line for each step, that can be compared with any other door's. */
export function tell({ steps, folder }: Played): readonly unknown[] {
  return steps.map(({ step: { operation }, answer }) => [operation, normalise(answer, folder)]);
}

/** The same of the service's own answers, as the door would have given them. */
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

/** The whole log of every session and task, each on its own, and all of them in one order. */
async function readLogs(service: ServiceDoor, folder: string): Promise<unknown> {
  const { events } = await service.perform("events", { limit: 1000 });
  const ids = [...new Set(events.map(({ id }) => id))];
  return normalise(
    { all: events, each: ids.map((id) => events.filter((event) => event.id === id)) },
    folder,
  );
}
