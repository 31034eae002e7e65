import { BelayError, ERRORS, refuse } from "../../contract/errors.ts";
import { visibleJson } from "../../contract/visible-text.ts";
import { messageFor } from "../../service/message-for.ts";
import { closest } from "./closest.ts";
import { SYSTEM_COMMANDS } from "./commands/system-commands.ts";
import { COMMANDS } from "./commands.ts";
import { commandHelp, commandsOf, groupHelp, programHelp, systemHelp } from "./help.ts";
import type { Program } from "./program.ts";
import { runOperation } from "./run-operation.ts";

/** Runs one command line and returns its exit code. No failure escapes as a stack trace or as exit code 0. */
export async function runCli(args: readonly string[], program: Program): Promise<number> {
  try {
    return await dispatch(args, program);
  } catch (error) {
    const known = error instanceof BelayError ? error : unexpected(error);
    const refusal = known.toJSON();
    const message = messageFor("cli", refusal);
    if (program.terminal.json) program.terminal.write(`${visibleJson({ ...refusal, message })}\n`);
    else program.terminal.note(`belay: ${message}`);
    return ERRORS[known.code].exit;
  }
}

async function dispatch(args: readonly string[], program: Program): Promise<number> {
  const { terminal } = program;
  const [typed] = args;
  if (typed === undefined || typed === "help" || typed === "--help" || typed === "-h") {
    terminal.write(
      args.length < 2 ? programHelp(terminal.columns) : helpOn(args.slice(1), terminal.columns),
    );
    return 0;
  }
  const { name, rest } = nameOf(args);
  if (rest.includes("--help") || rest.includes("-h")) {
    terminal.write(helpOn(args, terminal.columns));
    return 0;
  }
  if (isOperation(name)) return runOperation(name, COMMANDS[name], rest, program);
  if (isSystem(name)) return SYSTEM_COMMANDS[name].run(rest, program);
  throw unknownCommand(name, rest[0]);
}

/** A command has one or two words; the longer match wins. */
function nameOf(args: readonly string[]): { name: string; rest: readonly string[] } {
  const [first = "", second] = args;
  const pair = `${first} ${second}`;
  if (isOperation(pair) || isSystem(pair)) return { name: pair, rest: args.slice(2) };
  return { name: ALIASES[first] ?? first, rest: args.slice(1) };
}

const ALIASES: Readonly<Record<string, string>> = {
  "list-sessions": "list",
  ls: "list",
  "--version": "version",
  "-v": "version",
  tasks: "tasks list",
  checkpoint: "checkpoint list",
  token: "token list",
};

function helpOn(args: readonly string[], columns: number): string {
  const { name, rest } = nameOf(args);
  const [first = "", second = "-"] = args;
  const isCommand = isOperation(first) || isSystem(first);
  // `token` alone runs `token list`, but its help must not hide `token create`.
  if (!isCommand && second.startsWith("-") && commandsOf(first).length > 0)
    return groupHelp(first, columns);
  if (isOperation(name)) return commandHelp(name, columns);
  if (isSystem(name)) return systemHelp(name, columns);
  throw unknownCommand(name, rest[0]);
}

function isOperation(name: string): name is keyof typeof COMMANDS {
  return Object.hasOwn(COMMANDS, name);
}

function isSystem(name: string): name is keyof typeof SYSTEM_COMMANDS {
  return Object.hasOwn(SYSTEM_COMMANDS, name);
}

function unknownCommand(word: string, next: string | undefined): BelayError {
  const group = commandsOf(word).map(([name]) => `belay ${name}`);
  const isPair = group.length > 0 && next !== undefined && !next.startsWith("-");
  if (group.length > 0 && !isPair) {
    return new BelayError(refuse("usage", `Give one of these commands: ${group.join(", ")}.`));
  }
  const typed = isPair ? `${word} ${next}` : word;
  const near = closest(typed, [
    ...Object.keys(COMMANDS),
    ...Object.keys(SYSTEM_COMMANDS),
    ...Object.keys(ALIASES),
  ]);
  const hint = near ? `Did you mean "belay ${near}"?` : 'See "belay --help".';
  return new BelayError(refuse("usage", `Unknown command "${typed}". ${hint}`));
}

function unexpected(cause: unknown): BelayError {
  const message = cause instanceof Error ? cause.message : String(cause);
  return new BelayError(refuse("internal", `Unexpected error: ${message}`), cause);
}
