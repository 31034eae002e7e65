import { ERRORS } from "../../src/contract/errors.ts";
import type { Operation } from "../../src/contract/operations/operation.ts";
import { OPERATIONS } from "../../src/contract/operations.ts";
import { COMMANDS } from "../../src/doors/cli/commands.ts";
import type { Flag } from "../../src/doors/cli/flags.ts";
import { flagsOf } from "../../src/doors/cli/flags.ts";
import type { OperationCommand } from "../../src/doors/cli/operation-command.ts";
import { recordOf, runBelay, type ServerPlace } from "../serve/server-process.ts";
import type { Answer, Door, Fields } from "./door.ts";
import { withoutFixed } from "./door.ts";

/** A process for each step, with arguments from the table of commands. */
export function openCliDoor(place: ServerPlace): Door {
  return {
    call(operation, input) {
      const args = Object.entries<OperationCommand>(COMMANDS)
        .filter(([, command]) => command.operation === operation)
        .flatMap(([name, command]) => {
          const given = withoutFixed(input, command.fixed);
          return given ? [[...name.split(" "), ...argumentsOf(command, given)]] : [];
        });
      return args[0] && run(place, args[0]);
    },
    present: (_operation, output) => output,
    async close() {},
  };
}

function argumentsOf(
  { operation, positional, flags: names, fixed }: OperationCommand,
  input: Fields,
) {
  const { shape }: Operation["input"] = OPERATIONS[operation].input;
  const flags = flagsOf(shape, [...positional, ...Object.keys(fixed ?? {})], names);
  const places = positional.flatMap((field) => (field in input ? [String(input[field])] : []));
  const rest = Object.entries(input).filter(([field]) => !positional.includes(field));
  return [
    ...places,
    ...rest.flatMap(([field, value]) => {
      const flag = flags.find((known) => known.field === field);
      return flag ? write(flag, value) : [`--${field}=${value}`];
    }),
  ];
}

function write({ name, takes }: Flag, value: unknown): string[] {
  switch (takes) {
    case "nothing":
      return value === true ? [`--${name}`] : [];
    case "json":
      return [`--${name}`, JSON.stringify(value)];
    default:
      return [`--${name}=${value}`];
  }
}

async function run(place: ServerPlace, args: readonly string[]): Promise<Answer> {
  const { code, json, stdout, stderr } = await runBelay(place, [...args, "--json"]);
  if (json === undefined) throw new Error(`belay ${args.join(" ")}: ${stdout}${stderr}`);
  const { error, message } = recordOf(json);
  if (message === undefined || !isError(error)) return { ok: true, value: json };
  // A refusal needs its exit code for scripts.
  return { ok: false, error: code === ERRORS[error].exit ? error : `${error}, but exit ${code}` };
}

function isError(code: unknown): code is keyof typeof ERRORS {
  return typeof code === "string" && Object.hasOwn(ERRORS, code);
}
