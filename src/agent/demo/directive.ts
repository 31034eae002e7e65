import type { Turn } from "./turn.ts";

/** Something a user can make the demo agent do with a line that begins with its name. */
interface Directive {
  /** What follows the name. */
  readonly takes?: string;
  readonly doc: string;
  /** Returns when it is done. Throws `TurnOver` to end the turn. */
  readonly run: (turn: Turn, rest: string) => Promise<void>;
}

export type Directives = Readonly<Record<string, Directive>>;

/** The numbers that it begins with. */
export function readNumbers(rest: string): readonly number[] {
  const words = rest.split(/\s+/);
  const end = words.findIndex((word) => !/^\d+(?:\.\d+)?$/.test(word));
  return words.slice(0, end < 0 ? words.length : end).map(Number);
}

/** The first word and what follows it. */
export function splitFirstWord(rest: string): { readonly first: string; readonly text: string } {
  const [, first = "", text = ""] = /^(\S*)\s*(.*)$/.exec(rest) ?? [];
  return { first, text };
}
