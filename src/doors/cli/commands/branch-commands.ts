import type { Commands } from "../operation-command.ts";
import type { Program } from "../program.ts";
import * as show from "../show/show-branches.ts";

/** A flag that means a value of `--rule`. */
const rule = (doc: string, name: string) => ({
  doc,
  run: async (args: readonly string[], program: Program): Promise<number> => {
    const { runOperation } = await import("../run-operation.ts");
    const others = args.filter((arg) => arg !== `--${name}`);
    return runOperation("merge", branchCommands.merge, [...others, `--rule=${name}`], program);
  },
});

/** Commands about sessions that share a history. */
export const branchCommands = {
  compare: {
    operation: "compare",
    positional: ["id", "with"],
    example: "belay compare agent-20260108 agent-20260109",
    show: show.comparison,
  },
  merge: {
    operation: "merge",
    positional: ["id"],
    variants: {
      "--ours": rule("for conflicts: keep the values of the target session", "ours"),
      "--theirs": rule("for conflicts: use the fork's values", "theirs"),
      "--ask": rule("for conflicts: ask a person", "ask"),
    },
    example: "belay merge agent-20260109 --dry-run",
    show: show.merge,
  },
  branches: {
    operation: "branches",
    positional: ["id"],
    example: "belay branches agent-20260108",
    show: show.branches,
  },
} as const satisfies Commands;
