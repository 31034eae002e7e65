import type { LogEvent } from "../../src/contract/session.ts";
import type { ServiceContext } from "../../src/service/service-context.ts";
import type { Door } from "./door.ts";
import { openDoor } from "./door.ts";
import type { Beat, Outside } from "./outside.ts";
import type { Act, Scenario } from "./scenario.ts";

/** Something else is under way in the session. */
export class NotRecovered extends Error {}

/** The behaviour of a reliable program. The negative controls differ. */
export interface Ways {
  readonly intentFirst: boolean;
  readonly sameKey: boolean;
}
export const SOUND: Ways = { intentFirst: true, sameKey: true };

/**
 * A program with effects in the outside world: for each, intent, effect, result. Restarted after a death, it continues
 * by the log: repeatable actions are repeated, finished or unknown ones are not.
 */
export async function runProgram(
  context: ServiceContext,
  outside: Outside,
  beat: Beat,
  scenario: Scenario,
  ways: Ways = SOUND,
): Promise<void> {
  const { session } = scenario;
  const told = (type: string, id: string, version: number): void =>
    outside.acknowledge({ session, type, id, version });
  const door = await openDoor(context, scenario, (version) =>
    told("session.created", session, version),
  );
  const status = await door.status();
  if (status === "completed" || status === "cancelled") return door.leave();
  if (status === "suspended") await door.write({ type: "resume", interface: "library" });
  const log = await door.log();

  const doAct = async (act: Act, turn_id: string | null): Promise<void> => {
    if (!isToDo(log, act.name)) return;
    const action_id = context.newId();
    const key = keyOf(session, act, ways.sameKey ? "" : action_id);
    const effect = async (): Promise<void> => {
      const paused = beat();
      if (paused) await paused;
      outside.effect(`${session}/${act.name}`, key);
      const after = beat();
      if (after) await after;
    };
    if (!ways.intentFirst) await effect();
    const rollback = Array.from({ length: act.undo }, (_, nth) => {
      const title = `undo ${nth + 1} of ${act.name}`;
      return { title, command: outside.undoCommand(`${session}/${act.name}.${nth + 1}`) };
    });
    told("action.started", action_id, await door.begin({ action_id, act, key, turn_id, rollback }));
    if (ways.intentFirst) await effect();
    told("action.completed", action_id, await door.complete(action_id));
  };

  for (const step of scenario.steps) {
    if (step.do === "act") await doAct(step.act, null);
    if (step.do === "both") await Promise.all(step.acts.map((act) => doAct(act, null)));
    if (step.do === "save" && !has(log, "checkpoint.saved", "name", step.name)) {
      told("checkpoint.saved", step.name, await door.save(step.name));
    }
    if (step.do !== "queue") continue;
    for (const { id } of step.turns) {
      if (has(log, "message.queued", "turn_id", id)) continue;
      const content = `do ${id}`;
      const asked = { type: "send_message", turn_id: id, content, interface: "library" } as const;
      told("message.queued", id, await door.write(asked));
    }
    for (const { id, acts } of step.turns) {
      const turn_id = nextTurn(log, id);
      if (turn_id === null) continue;
      await runTurn(door, turn_id, told, async () => {
        for (const act of acts) await doAct(act, turn_id);
      });
    }
  }
  told("session.completed", session, await door.finish());
  await door.leave();
}

/** The key of an action, the same for every process and attempt. */
function keyOf(session: string, { keyed, name }: Act, mark: string): string | null {
  return keyed ? `key-${session}-${name}${mark}` : null;
}

async function runTurn(
  { write }: Door,
  turn_id: string,
  told: (type: string, id: string, version: number) => void,
  work: () => Promise<void>,
): Promise<void> {
  told("turn.started", turn_id, await write({ type: "start_turn", turn_id, content: "go" }));
  await work();
  const ended = { type: "end_turn", outcome: "completed", error: null, usage: null } as const;
  told("turn.ended", turn_id, await write({ ...ended, turn_id }));
}

/** Interrupted work continues in a turn of its own; null if it is done. */
function nextTurn(log: readonly LogEvent[], id: string): string | null {
  for (let nth = 1; ; nth += 1) {
    const turn_id = nth === 1 ? id : `${id}-again-${nth}`;
    const end = log.find(({ type, data }) => type === "turn.ended" && data.turn_id === turn_id);
    if (!end) return turn_id;
    if (end.data.outcome === "completed") return null;
  }
}

function isToDo(log: readonly LogEvent[], name: string): boolean {
  const last = log.findLast(({ type, data }) => type === "action.started" && data.type === name);
  if (!last) return true;
  const result = log.find(
    ({ type, data }) => type === "action.completed" && data.action_id === last.data.action_id,
  );
  if (!result) throw new NotRecovered(`${name} is open, and recovery has left it so`);
  return outcomeOf(result) === "repeatable" || outcomeOf(result) === "never_ran";
}

export function outcomeOf({ data }: LogEvent): unknown {
  const { details } = data;
  return typeof details === "object" && details !== null && "outcome" in details
    ? details.outcome
    : undefined;
}

function has(log: readonly LogEvent[], type: string, field: string, value: string): boolean {
  return log.some((event) => event.type === type && event.data[field] === value);
}
