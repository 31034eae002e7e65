import { OPERATIONS } from "../../contract/operations.ts";
import { colors } from "./colors.ts";
import type { SystemCommand } from "./commands/system-commands.ts";
import { SYSTEM_COMMANDS } from "./commands/system-commands.ts";
import type { CommandName } from "./commands.ts";
import { COMMANDS } from "./commands.ts";
import type { Flag } from "./flags.ts";
import { flagsOf } from "./flags.ts";
import type { OperationCommand } from "./operation-command.ts";

export function programHelp(columns: number): string {
  const operations = listOperations();
  const others: [string, SystemCommand][] = Object.entries(SYSTEM_COMMANDS);
  const listed = (group: SystemCommand["group"]) =>
    others
      .filter(([, command]) => command.group === group)
      .map(([name, command]): [string, string] => [name, command.doc]);
  return [
    `${colors.bold("belay")}: durable sessions for AI agents`,
    "",
    "Usage: belay COMMAND [arguments] [--json]",
    "",
    colors.bold("Agents"),
    ...lines(listed("agents"), columns),
    "",
    colors.bold("Sessions"),
    ...lines(operations, columns),
    "",
    colors.bold("System"),
    ...lines(listed(undefined), columns),
    "",
    ...[
      "You can shorten the id of a session to any prefix that matches only one. Commands that end or remove something need the whole id, or ask.",
      "A question is named by its whole id or its last eight digits.",
      "Times you type are UTC unless they include a time zone. Tables show local time; --json shows UTC.",
      "Belay stores its data in BELAY_HOME (default: ~/.belay).",
      '"belay COMMAND --help" shows flags and an example.',
    ].flatMap((line) => wrap(line, columns)),
    "",
  ].join("\n");
}

/** The commands of two words that start with this word, such as `people add`; empty if there are none. */
export function commandsOf(word: string): [name: string, doc: string][] {
  const others: [string, SystemCommand][] = Object.entries(SYSTEM_COMMANDS);
  const all = [
    ...listOperations(),
    ...others.map(([name, { doc }]): [string, string] => [name, doc]),
  ];
  return all.filter(([name]) => name.startsWith(`${word} `));
}

/** The help of a word that starts several commands. */
export function groupHelp(word: string, columns: number): string {
  return [
    `Usage: belay ${word} COMMAND [arguments] [--json]`,
    "",
    colors.bold("Commands"),
    ...lines(commandsOf(word), columns),
    "",
    `"belay ${word} COMMAND --help" shows flags and an example.`,
    "",
  ].join("\n");
}

export function commandHelp(name: CommandName, columns: number): string {
  const command: OperationCommand = COMMANDS[name];
  const { input } = OPERATIONS[command.operation];
  const given = [...command.positional, ...Object.keys(command.fixed ?? {})];
  const flags = flagsOf(input.shape, given, command.flags);
  const variants = Object.entries(command.variants ?? {}).map(
    ([flag, { takes, doc: what }]): [string, string] => [
      takes === undefined ? flag : `${flag} ${takes}`,
      what,
    ],
  );
  const described = [...flags.map(describeFlag), ...variants];
  const related = commandsOf(name);
  const positional = [
    ...command.positional.map((field) => field.toUpperCase()),
    ...(command.last === undefined ? [] : [`[${command.last.toUpperCase()}]`]),
  ].join(" ");
  return [
    ...[`${docOf(command)}.`, ...(command.more ?? [])].flatMap((line) => wrap(line, columns)),
    "",
    `Usage: belay ${[name, positional, described.length > 0 ? "[flags]" : ""].filter(Boolean).join(" ")}`,
    ...describeChoices(input.shape, command.positional),
    ...(described.length > 0 ? ["", colors.bold("Flags"), ...lines(described, columns)] : []),
    "",
    colors.bold("Example"),
    `  ${command.example}`,
    ...(related.length > 0 ? ["", colors.bold("See also"), ...lines(related, columns)] : []),
    "",
  ].join("\n");
}

/** The help of a command that is more than an operation, wrapped to the terminal's width. */
export function systemHelp(name: keyof typeof SYSTEM_COMMANDS, columns: number): string {
  return SYSTEM_COMMANDS[name].help
    .split("\n")
    .flatMap((line) => {
      if (line.startsWith("Usage: ")) return wrapUsage(line, columns);
      return line.startsWith(" ") ? [line] : wrap(line, columns);
    })
    .join("\n");
}

/** Further lines start below the command's name, and none starts inside of brackets. */
function wrapUsage(line: string, columns: number): string[] {
  const indent = " ".repeat("Usage: ".length);
  const words = line.slice(indent.length).match(/\[(?:[^[\]]|\[[^\]]*\])*\]|\S+/g) ?? [];
  return wrapWords(words, columns - indent.length).map(
    (part, at) => `${at === 0 ? "Usage: " : indent}${part}`,
  );
}

/** One line for each argument that accepts only certain words. */
function describeChoices(
  shape: Parameters<typeof flagsOf>[0],
  positional: readonly string[],
): string[] {
  return flagsOf(shape, [])
    .filter(({ field, choices }) => positional.includes(field) && choices.length > 0)
    .map(({ field, choices }) => `${field.toUpperCase()} is one of ${choices.join(", ")}.`);
}

/** The commands that are operations, each with the first sentence of its description. */
function listOperations(): [name: string, doc: string][] {
  const commands: [string, OperationCommand][] = Object.entries(COMMANDS);
  return commands.map(([name, command]) => [name, docOf(command).split(". ")[0] ?? ""]);
}

function docOf({ doc, operation }: OperationCommand): string {
  return doc ?? OPERATIONS[operation].doc;
}

function describeFlag(flag: Flag): [string, string] {
  const takes = {
    nothing: "",
    text: " TEXT",
    number: " N",
    json: " JSON",
    boolean: " true|false",
    list: " A,B",
  }[flag.takes];
  const doc = [
    flag.doc,
    flag.choices.length > 0 ? `one of ${flag.choices.join(", ")}` : "",
    flag.required ? "required" : "",
  ];
  return [`--${flag.name}${takes}`, doc.filter(Boolean).join("; ")];
}

/** Two columns, with the second wrapped to the width of the terminal. */
function lines(entries: readonly (readonly [string, string])[], columns: number): string[] {
  const width = Math.max(...entries.map(([name]) => name.length));
  const room = Math.max(20, columns - width - 4);
  return entries.flatMap(([name, doc]) =>
    wrap(doc, room).map((part, at) =>
      `  ${(at === 0 ? name : "").padEnd(width)}  ${part}`.trimEnd(),
    ),
  );
}

function wrap(text: string, width: number): string[] {
  return wrapWords(text.split(" "), width);
}

function wrapWords(words: readonly string[], width: number): string[] {
  const parts: string[] = [];
  let line = "";
  for (const word of words) {
    if (line !== "" && line.length + 1 + word.length > width) {
      parts.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...parts, line];
}
