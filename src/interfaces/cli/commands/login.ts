import { visibleJson } from "../../../contract/visible-text.ts";
import { colors } from "../colors.ts";
import { expectArguments } from "../expect-arguments.ts";
import type { Program } from "../program.ts";

/** `belay login`: the way into the web page of the server that runs. */
export async function login(args: readonly string[], program: Program): Promise<number> {
  expectArguments("login", args, 0);
  const { terminal } = program;
  const url = await program.loginLink();
  terminal.write(
    terminal.json
      ? `${visibleJson({ url })}\n`
      : `Open this in a browser. It works once, for ten minutes:\n\n  ${colors.bold(url)}\n\n`,
  );
  return 0;
}
