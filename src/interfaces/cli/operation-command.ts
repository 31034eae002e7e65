import type { OperationName, Output } from "../../contract/operations.ts";
import type { BelayService } from "../../service/belay-service.ts";
import type { Caller } from "../../service/service-context.ts";
import type { OpenBelay, Program, Terminal } from "./program.ts";

/** What was typed, as an operation's input: still unchecked. */
type Typed = Readonly<Record<string, unknown>>;

/** A command that is one operation: what is given by position, what flags are called, how the answer looks. */
export interface OperationCommand<K extends OperationName = OperationName> {
  readonly operation: K;
  readonly positional: readonly string[];
  /** A field that may be given by position too, behind the others. */
  readonly last?: string;
  readonly flags?: Readonly<Record<string, string>>;
  /** Fields that follow from the command itself. */
  readonly fixed?: Typed;
  /** What its help adds to the operation's own description. */
  readonly more?: readonly string[];
  readonly example: string;
  /** `reads` takes over new lines of the workspace's backlog first; `writes` adds one afterwards. */
  readonly backlog?: "reads" | "writes";
  /** At a terminal or with piped input, and with nothing but what is given by position, it is this instead; null: the operation after all. */
  atTerminal?(positionals: readonly string[], program: Program): Promise<number | null>;
  /** Flags that make something else of the command than one operation. */
  readonly variants?: Readonly<Record<string, Variant>>;
  /** What a person is shown where they did not ask for it: with `--json` the input stays as it was typed. */
  forPerson?(typed: Typed): Typed;
  /** Where it is more than to call the operation once. */
  perform?(service: BelayService, typed: Typed, caller: Caller): Promise<Output<K>>;
  show(output: Output<K>, terminal: Terminal, typed: Typed): string;
  /** What follows once the answer is shown; its exit code counts where it is not 0. */
  afterwards?(output: Output<K>, belay: OpenBelay, program: Program): Promise<number>;
  /** A clean "no" is an answer, but not success. */
  exitCode?(output: Output<K>): number;
}

interface Variant {
  readonly doc: string;
  run(args: readonly string[], program: Program): Promise<number>;
}

export type Commands = Readonly<
  Record<string, { [K in OperationName]: OperationCommand<K> }[OperationName]>
>;
