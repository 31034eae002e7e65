import { isDeepStrictEqual } from "node:util";
import type { Answer, Answers } from "./ask-everything.ts";

/** The differences of the answers before and after some damage; a sentence for each. */
export interface Differences {
  /** Returned as valid although it was never written. Must never happen. */
  readonly altered: readonly string[];
  /** Neither an answer nor a report of damaged storage. Must never happen. */
  readonly wrong: readonly string[];
  /** Refused as damaged, or shown as damaged in a list. */
  readonly refused: readonly string[];
  /** Missing, reordered or outdated without a report: `verify` must find it. */
  readonly missing: readonly string[];
}

/** With a lost tail, a session may look older; the events themselves are the same or missing. */
export function compareAnswers(before: Answers, after: Answers, isTailLost: boolean): Differences {
  const found: Record<keyof Differences, string[]> = {
    altered: [],
    wrong: [],
    refused: [],
    missing: [],
  };
  for (const [question, expected] of before) {
    const given = after.get(question);
    if (!given || !("items" in expected)) throw new Error(`${question} has no answer to compare`);
    const isOlder = isTailLost && !/^(?:log|audit|feed)/.test(question);
    for (const [kind, what] of compare(expected.items, given)) {
      found[kind === "altered" && isOlder ? "missing" : kind].push(`${question}: ${what}`);
    }
  }
  return found;
}

function* compare(
  expected: ReadonlyMap<string, unknown>,
  given: Answer,
): Generator<[keyof Differences, string]> {
  if ("refused" in given) {
    const { refused } = given;
    if (refused === "storage_damaged") yield ["refused", refused];
    else if (refused.endsWith("_not_found")) yield ["missing", refused];
    else yield ["wrong", refused];
    return;
  }
  if (given.damaged > 0) yield ["refused", `${given.damaged} damaged`];
  for (const [name, shown] of given.items) {
    if (!isDeepStrictEqual(shown, expected.get(name))) {
      yield ["altered", `${name} is ${firstDifference(shown, expected.get(name))}`];
    }
  }
  const absent = [...expected.keys()].filter((name) => !given.items.has(name));
  if (absent.length > given.damaged) yield ["missing", absent.join(", ")];
  const present = [...expected.keys()].filter((name) => given.items.has(name));
  if (!isDeepStrictEqual([...given.items.keys()], present)) yield ["missing", "the order"];
}

function firstDifference(shown: unknown, expected: unknown): string {
  const [a, b] = [JSON.stringify(shown) ?? "", JSON.stringify(expected) ?? ""];
  const at = [...a].findIndex((character, index) => character !== b[index]);
  return `...${a.slice(Math.max(0, at - 20), at + 40)}... and was ...${b.slice(Math.max(0, at - 20), at + 40)}...`;
}
