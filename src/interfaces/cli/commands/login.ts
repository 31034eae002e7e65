import { visibleJson } from "../../../contract/visible-text.ts";
import { colors } from "../colors.ts";
import { expectArguments } from "../expect-arguments.ts";
import type { Program } from "../program.ts";

/** `belay login`: prints a login link for the web page of the running server. */
export async function login(args: readonly string[], program: Program): Promise<number> {
  const { values } = expectArguments("login [--for NAME]", args, 0, { for: { type: "string" } });
  const { terminal } = program;
  const url = await program.loginLink(values.for === undefined ? undefined : String(values.for));
  terminal.write(
    terminal.json
      ? `${visibleJson({ url })}\n`
      : `Open this link in a browser. It works once, within ten minutes:\n\n  ${colors.bold(url)}\n\n`,
  );
  return 0;
}
