import { BelayError, refuse } from "../../../contract/errors.ts";
import { visibleJson } from "../../../contract/visible-text.ts";
import { expectArguments } from "../expect-arguments.ts";
import type { Program } from "../program.ts";
import * as show from "./show.ts";

/** `log --last N`: the end of a session's log. */
export async function lastEvents(args: readonly string[], program: Program): Promise<number> {
  const { positionals, values } = expectArguments("log ID --last N", args, 1, {
    last: { type: "string" },
  });
  const [id = ""] = positionals;
  if (!/^[1-9]\d*$/.test(String(values.last))) {
    const message = "--last takes a number of events, as in: belay log ID --last 20";
    throw new BelayError(refuse("usage", message));
  }
  // A place beyond every end.
  const input = { id, before: Number.MAX_SAFE_INTEGER, limit: Number(values.last) };
  const { terminal } = program;
  const belay = await program.open();
  try {
    const output = await belay.service.call("log", input, program.caller);
    terminal.write(terminal.json ? `${visibleJson(output)}\n` : show.log(output, terminal, input));
    return 0;
  } finally {
    await belay.close();
  }
}
