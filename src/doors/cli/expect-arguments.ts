import { type ParseArgsConfig, parseArgs } from "node:util";
import { BelayError, refuse } from "../../contract/errors.ts";

/** Parses positional arguments and flags. Invalid ones are answered with the usage of the command. */
export function expectArguments(
  usage: string,
  args: readonly string[],
  count: number,
  options: NonNullable<ParseArgsConfig["options"]> = {},
) {
  return parseCommand(usage, args, [count, count], options);
}

/** The same if the last positional arguments are optional. */
export function parseCommand(
  usage: string,
  args: readonly string[],
  [least, most]: readonly [least: number, most: number],
  options: NonNullable<ParseArgsConfig["options"]>,
) {
  const wrong = refuse("usage", `Usage: belay ${usage}`);
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
      strict: true,
    });
    if (positionals.length >= least && positionals.length <= most) return { positionals, values };
  } catch (cause) {
    throw new BelayError(wrong, cause);
  }
  throw new BelayError(wrong);
}
