import { fstatSync } from "node:fs";
import { parseArgs } from "node:util";
import { BelayError, refuse } from "../../contract/errors.ts";
import { counted } from "../../contract/import/describe-import.ts";
import type { OperationName, Output } from "../../contract/operations.ts";
import { OPERATIONS } from "../../contract/operations.ts";
import { Task } from "../../contract/session.ts";
import { visibleJson } from "../../contract/visible-text.ts";
import { closest } from "./closest.ts";
import { canAsk } from "./confirm.ts";
import type { Flag } from "./flags.ts";
import { flagsOf, parseOptionsOf, readFlag } from "./flags.ts";
import type { OperationCommand, Typed } from "./operation-command.ts";
import type { OpenBelay, Program } from "./program.ts";

/** Runs a command that is one operation, and returns its exit code. */
export async function runOperation<K extends OperationName>(
  name: string,
  command: OperationCommand<K>,
  args: readonly string[],
  program: Program,
): Promise<number> {
  const { shape } = OPERATIONS[command.operation].input;
  const given = [...command.positional, ...Object.keys(command.fixed ?? {})];
  const flags = flagsOf(shape, given, command.flags);
  const variant = Object.entries(command.variants ?? {}).find(([flag]) =>
    args.some((arg) => arg === flag || arg.startsWith(`${flag}=`)),
  );
  if (variant) return variant[1].run(args, program);
  const { terminal } = program;
  if (command.converse && !terminal.json && isPlain(command, args)) {
    const hasInput = canAsk(terminal) || isPiped();
    const code = await command.converse(args, program, hasInput);
    if (code !== null) return code;
  }
  const typed = { ...readInput(name, command, flags, args), ...command.fixed };
  const input = terminal.json ? typed : (command.forPerson?.(typed) ?? typed);
  const belay = await program.open();
  try {
    if (command.backlog) await syncBacklog(belay, program);
    const performed = await performWhole(name, command, input, belay, program);
    if (!performed) {
      terminal.note("Nothing was changed.");
      return 1;
    }
    const { output } = performed;
    if (command.backlog === "writes") await belay.workspace.writeBacklog(Task.parse(output));
    terminal.write(
      terminal.json ? `${visibleJson(output)}\n` : command.show(output, terminal, performed.input),
    );
    const followed = await command.afterwards?.(output, belay, program);
    return followed || (command.exitCode?.(output) ?? 0);
  } catch (error) {
    throw error instanceof BelayError ? inFlags(error, flags, command.hints) : error;
  } finally {
    await belay.close();
  }
}

/** Performs the operation on what the person means by a part of an id. Null if they say no. */
async function performWhole<K extends OperationName>(
  name: string,
  command: OperationCommand<K>,
  input: Typed,
  belay: OpenBelay,
  program: Program,
): Promise<{ readonly output: Output<K>; readonly input: Typed } | null> {
  try {
    const output = command.perform
      ? await command.perform(belay.service, input, program.caller)
      : await belay.service.call(command.operation, input, program.caller);
    return { output, input };
  } catch (error) {
    const { completeId } = await import("./complete-id.ts");
    const whole = await completeId(error, { name, ...command }, input, belay, program);
    return whole && performWhole(name, command, whole, belay, program);
  }
}

/** The same error with flags in the place of field names, which messages quote or start with, and with its hint. */
function inFlags(
  error: BelayError,
  flags: readonly Flag[],
  hints: Readonly<Record<string, string>> = {},
): BelayError {
  const refusal = error.toJSON();
  const hint = hints[String(refusal.details.field)];
  const named = flags.reduce(
    (text, { field, name }) =>
      text
        .replaceAll(`"${field}"`, `--${name}`)
        .replace(new RegExp(`^${field}(?:\\.\\d+)?(?=: | is required$)`), `--${name}`),
    refusal.message,
  );
  const message = hint === undefined ? named : `${named} ${hint}`;
  return message === refusal.message ? error : new BelayError({ ...refusal, message }, error);
}

function isPlain(command: { positional: readonly string[] }, args: readonly string[]): boolean {
  return args.length === command.positional.length && !args.some((arg) => arg.startsWith("-"));
}

/** True if there is piped input to read. */
function isPiped(): boolean {
  if (process.stdin.isTTY) return false;
  const input = fstatSync(0, { throwIfNoEntry: false });
  return input !== undefined && (input.isFIFO() || input.isFile() || input.isSocket());
}

async function syncBacklog({ workspace }: OpenBelay, { terminal }: Program): Promise<void> {
  const report = await workspace.syncBacklog();
  if (!report) return;
  if (report.rows > 0) terminal.note(`Read ${counted(report.rows, "task")} from ${report.source}.`);
  if (report.damaged.length > 0) {
    terminal.note(`Skipped lines that are not valid backlog entries: ${report.damaged.join(", ")}`);
  }
}

function readInput(
  name: string,
  command: { readonly positional: readonly string[]; readonly last?: string },
  flags: readonly Flag[],
  args: readonly string[],
): Record<string, unknown> {
  const { values, positionals } = parse(name, flags, args);
  const most = command.positional.length + (command.last === undefined ? 0 : 1);
  if (positionals.length > most) {
    const extra = positionals[most] ?? "";
    const hint =
      extra.includes(" ") || most === 0 ? "Remove it." : "Quote texts that contain spaces.";
    throw usage(name, `Unexpected argument "${extra}". ${hint}`);
  }
  const input: Record<string, unknown> = {};
  command.positional.forEach((field, at) => {
    if (positionals[at] === undefined) throw usage(name, `${field.toUpperCase()} is required.`);
    input[field] = positionals[at];
  });
  const last = positionals[command.positional.length];
  if (command.last !== undefined && last !== undefined) input[command.last] = last;
  for (const flag of flags) {
    const typed = values[flag.name];
    if (typed !== undefined) input[flag.field] = readFlag(flag, typed);
    else if (flag.required) throw usage(name, `--${flag.name} is required.`);
  }
  return input;
}

function parse(name: string, flags: readonly Flag[], args: readonly string[]) {
  try {
    return parseArgs({
      args: joinNegative(args),
      options: parseOptionsOf(flags),
      allowPositionals: true,
      strict: true,
    });
  } catch (error) {
    throw usage(name, describeMisuse(error instanceof Error ? error.message : "", flags));
  }
}

/** Treats `--hours -1` as `--hours=-1`, because no flag is a number. */
function joinNegative(args: readonly string[]): string[] {
  const isValue = (at: number) =>
    /^-\d/.test(args[at] ?? "") && /^--[^=]+$/.test(args[at - 1] ?? "");
  return args.flatMap((arg, at) => {
    if (isValue(at)) return [];
    return isValue(at + 1) ? [`${arg}=${args[at + 1]}`] : [arg];
  });
}

/** Uses our own words, because Node's messages change with its version. */
function describeMisuse(message: string, flags: readonly Flag[]): string {
  const [, given = "", name = ""] = /'(--?([^'\s]+))/.exec(message) ?? [];
  const names = flags.map((flag) => flag.name);
  if (names.includes(name)) {
    return message.includes("does not take")
      ? `${given} takes no value.`
      : `${given} needs a value. Write a value that starts with a dash as ${given}=VALUE.`;
  }
  const near = closest(name, names);
  return `Unknown flag ${given}.${near ? ` Did you mean --${near}?` : ""}`;
}

function usage(name: string, message: string): BelayError {
  return new BelayError(refuse("usage", `${message} See: belay ${name} --help`));
}
