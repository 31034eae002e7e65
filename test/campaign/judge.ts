import type { LogEvent } from "../../src/contract/session.ts";
import type { Acknowledged, Effect } from "./outside.ts";
import { outcomeOf } from "./program.ts";
import type { Act, Scenario } from "./scenario.ts";

export interface Evidence {
  readonly scenario: Scenario;
  readonly log: readonly LogEvent[];
  readonly acknowledged: readonly Acknowledged[];
  /** The effects of this session, in the order in which the world has seen them. */
  readonly effects: readonly Effect[];
}

export interface Verdict {
  readonly lost: readonly string[];
  readonly duplicated: readonly string[];
  readonly other: readonly string[];
  /** Actions of unknown outcome that a question has named. */
  readonly listed: number;
  readonly acknowledged: number;
}

/** Compares the final state of a session with the promises. */
export function judge(evidence: Evidence): Verdict {
  const unlisted = findUnlisted(evidence);
  return {
    lost: [...findLost(evidence), ...findUndone(evidence)],
    duplicated: findRepeated(evidence),
    other: [...findOpen(evidence), ...unlisted.problems, ...findForgottenRollback(evidence)],
    listed: unlisted.listed,
    acknowledged: evidence.acknowledged.length,
  };
}

export function problemsOf({ lost, duplicated, other }: Verdict): string[] {
  return [...lost, ...duplicated, ...other];
}

/** Every acknowledged event exists once, and the log has no gap. */
function findLost({ log, acknowledged }: Evidence): string[] {
  const gaps = log.filter(({ seq }, index) => seq !== index + 1);
  const promises = acknowledged.flatMap(({ type, id, version }) => {
    const found = log.filter((event) => event.type === type && isAbout(event, id));
    if (found.length === 1 && (found[0]?.seq ?? 0) <= version) return [];
    return [`acknowledged ${type} ${id} is there ${found.length} times`];
  });
  return [...gaps.map(({ seq }) => `event ${seq} is out of order`), ...promises];
}

function isAbout({ type, data }: LogEvent, id: string): boolean {
  if (type === "session.created" || type === "session.completed") return true;
  return [data.action_id, data.approval_id, data.turn_id, data.name].includes(id);
}

/** An action with a result has happened, and a repeatable one was done in the end. */
function findUndone({ scenario, log, effects }: Evidence): string[] {
  const isOver = log.some(({ type }) => type === "session.completed");
  if (!isOver && !log.some(({ type }) => type === "session.cancelled")) {
    return ["the session never came to its end"];
  }
  const seen = new Set(effects.map(({ name }) => name));
  return actsOf(scenario).flatMap(({ name, effects: kind, keyed }) => {
    const results = resultsOf(log, name);
    const done = results.some(({ data }) => data.status === "completed");
    if (done && !seen.has(`${scenario.session}/${name}`)) return [`${name} is done but never was`];
    const safe = keyed || kind === "none" || kind === "local";
    return isOver && safe && !done ? [`${name} may be repeated, and was not`] : [];
  });
}

/**
 * Remote or unknown effects happen at most once, those with a key under one key only; rollbacks, as often as ordered.
 */
function findRepeated({ scenario, effects, log }: Evidence): string[] {
  const orders = log.filter(
    ({ type, data }) => type === "approval.decided" && data.note === "rollback",
  );
  const acts = new Map(actsOf(scenario).map((act) => [`${scenario.session}/${act.name}`, act]));
  return [...Map.groupBy(effects, ({ name }) => name)].flatMap(([name, each]) => {
    const act = acts.get(name);
    if (act && !act.keyed && (act.effects === "none" || act.effects === "local")) return [];
    const times = act?.keyed ? new Set(each.map(({ key }) => key)).size : each.length;
    return times > (act ? 1 : orders.length) ? [`${name} has happened ${times} times`] : [];
  });
}

function findOpen({ log }: Evidence): string[] {
  const once = (begun: string, ended: string, field: string) => {
    const ids = new Set(log.filter(({ type }) => type === begun).map(({ data }) => data[field]));
    return [...ids].flatMap((id) => {
      const ends = log.filter(({ type, data }) => type === ended && data[field] === id);
      return ends.length === 1 ? [] : [`${id} has ${ends.length} ${ended}`];
    });
  };
  return [
    ...once("action.started", "action.completed", "action_id"),
    ...once("message.queued", "turn.ended", "turn_id"),
    ...once("turn.started", "turn.ended", "turn_id"),
    ...log
      .filter(({ type }) => type === "approval.requested")
      .flatMap(({ data }) => {
        const ends = log.filter(
          (event) =>
            (event.type === "approval.decided" || event.type === "approval.expired") &&
            event.data.approval_id === data.approval_id,
        );
        return ends.length === 1 ? [] : [`question ${data.approval_id} has ${ends.length} ends`];
      }),
  ];
}

/** Every interrupted action that may have happened outside was named in a question. */
function findUnlisted({ log }: Evidence): { problems: string[]; listed: number } {
  const questions = log.filter(
    ({ type, data }) => type === "approval.requested" && data.kind === "recovery",
  );
  let listed = 0;
  const problems = log.flatMap((event) => {
    if (event.type !== "action.started") return [];
    const { action_id, effects, idempotent, type, details } = event.data;
    if (effects === "none" || effects === "local" || idempotent) return [];
    const result = log.find(
      (one) => one.type === "action.completed" && one.data.action_id === action_id,
    );
    if (result?.data.status !== "interrupted") return [];
    if (outcomeOf(result) === "repeatable") return [`${type} was said to be repeatable`];
    const title = typeof details === "object" && details && "title" in details ? details.title : "";
    const line = `- ${type}: ${title} (effects: ${effects})`;
    const asked = questions.some(
      ({ seq, data }) => seq > event.seq && String(data.body).includes(line),
    );
    if (asked) listed += 1;
    return asked ? [] : [`${type} ${action_id} may have happened, and nobody was asked`];
  });
  return { problems, listed };
}

/** An ordered rollback is finished, or someone is asked about the rest, before anything else is done. */
function findForgottenRollback({ log }: Evidence): string[] {
  return log
    .filter(({ type, data }) => type === "approval.decided" && data.note === "rollback")
    .flatMap(({ seq }) => {
      const rest = log.slice(seq);
      const settled = rest.findIndex(
        ({ type, data }) =>
          (type === "session.recovered" && data.status === "required-rollback") ||
          (type === "approval.requested" && data.kind === "recovery"),
      );
      const goesOn = rest.findIndex(
        ({ type, data }) =>
          (type === "action.started" && data.type !== "rollback") ||
          type === "turn.started" ||
          type === "session.completed",
      );
      const isForgotten = settled < 0 || (goesOn >= 0 && goesOn < settled);
      return isForgotten ? ["a rollback was ordered, broken off, and forgotten"] : [];
    });
}

function actsOf({ steps }: Scenario): Act[] {
  return steps.flatMap((step) => {
    switch (step.do) {
      case "act":
        return [step.act];
      case "both":
        return [...step.acts];
      case "queue":
        return step.turns.flatMap(({ acts }) => [...acts]);
      case "save":
        return [];
      default:
        return step satisfies never;
    }
  });
}

function resultsOf(log: readonly LogEvent[], name: string): LogEvent[] {
  const ids = new Set(
    log
      .filter(({ type, data }) => type === "action.started" && data.type === name)
      .map(({ data }) => data.action_id),
  );
  return log.filter(({ type, data }) => type === "action.completed" && ids.has(data.action_id));
}
