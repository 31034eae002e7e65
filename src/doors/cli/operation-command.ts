import type { OperationName, Output } from "../../contract/operations.ts";
import type { BelayService } from "../../service/belay-service.ts";
import type { Caller } from "../../service/service-context.ts";
import type { OpenBelay, Program, Terminal } from "./program.ts";

/** The typed arguments as an operation's input, not checked yet. */
export type Typed = Readonly<Record<string, unknown>>;

/** A command that is one operation: its positional fields, the names of its flags, and how the answer is shown. */
export interface OperationCommand<K extends OperationName = OperationName> {
  readonly operation: K;
  readonly positional: readonly string[];
  /** The summary of a command that does only a part of its operation. */
  readonly doc?: string;
  /** A field that may also be given as the last positional argument. */
  readonly last?: string;
  readonly flags?: Readonly<Record<string, string>>;
  /** Fields that the command itself sets. */
  readonly fixed?: Typed;
  /** Text that the help adds to the operation's own description. */
  readonly more?: readonly string[];
  readonly example: string;
  /** `reads` imports new lines of the workspace's backlog first; `writes` adds one afterwards. */
  readonly backlog?: "reads" | "writes";
  /**
   * Called instead of the operation if only positional arguments are given, but not with `--json`; null means the
   * operation. `hasInput` is true at a terminal and with piped input.
   */
  converse?(
    positionals: readonly string[],
    program: Program,
    hasInput: boolean,
  ): Promise<number | null>;
  /** Flags that turn the command into something other than one operation. */
  readonly variants?: Readonly<Record<string, Variant>>;
  /** A sentence that follows an error about a field. */
  readonly hints?: Readonly<Record<string, string>>;
  /** Adjusts the input for people; with `--json` it stays as typed. */
  forPerson?(typed: Typed): Typed;
  /** Set if the command does more than call the operation once. */
  perform?(service: BelayService, typed: Typed, caller: Caller): Promise<Output<K>>;
  show(output: Output<K>, terminal: Terminal, typed: Typed): string;
  /** Runs after the answer is shown; a nonzero exit code is used. */
  afterwards?(output: Output<K>, belay: OpenBelay, program: Program): Promise<number>;
  /** A valid negative answer is not a success, so it gets an exit code of its own. */
  exitCode?(output: Output<K>): number;
}

interface Variant {
  /** The value that follows the flag, as the help shows it. */
  readonly takes?: string;
  readonly doc: string;
  run(args: readonly string[], program: Program): Promise<number>;
}

export type Commands = Readonly<
  Record<string, { [K in OperationName]: OperationCommand<K> }[OperationName]>
>;
