import { type ParseArgsConfig, parseArgs } from "node:util";
import { BelayError, refuse } from "../../contract/errors.ts";

/** What was given by position and by flag; anything else is answered with how to use the command. */
export function expectArguments(
  usage: string,
  args: readonly string[],
  count: number,
  options: NonNullable<ParseArgsConfig["options"]> = {},
) {
  const wrong = refuse("usage", `use it like this: belay ${usage}`);
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
      strict: true,
    });
    if (positionals.length === count) return { positionals, values };
  } catch (cause) {
    throw new BelayError(wrong, cause);
  }
  throw new BelayError(wrong);
}
