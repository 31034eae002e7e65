import type { Turn } from "./turn.ts";

/** A command that a user can give the demo agent with a line that starts with its name. */
interface Directive {
  /** The arguments after the name. */
  readonly takes?: string;
  readonly doc: string;
  /** Returns when it is done. Throws `TurnOver` to end the turn. */
  readonly run: (turn: Turn, rest: string) => Promise<void>;
}

export type Directives = Readonly<Record<string, Directive>>;

/** The numbers at its start. */
export function readNumbers(rest: string): readonly number[] {
  const words = rest.split(/\s+/);
  const end = words.findIndex((word) => !/^\d+(?:\.\d+)?$/.test(word));
  return words.slice(0, end < 0 ? words.length : end).map(Number);
}

/** The first word and the rest. */
export function splitFirstWord(rest: string): { readonly first: string; readonly text: string } {
  const [, first = "", text = ""] = /^(\S*)\s*(.*)$/.exec(rest) ?? [];
  return { first, text };
}
