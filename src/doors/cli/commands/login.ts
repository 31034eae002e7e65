import { BelayError, refuse } from "../../../contract/errors.ts";
import { visibleJson, visibleLine } from "../../../contract/visible-text.ts";
import { colors } from "../colors.ts";
import { expectArguments } from "../expect-arguments.ts";
import type { Program } from "../program.ts";

/** `belay login`: prints a login link for the web page of the running server. */
export async function login(args: readonly string[], program: Program): Promise<number> {
  const { values } = expectArguments("login [--for NAME | --url URL]", args, 0, {
    for: { type: "string" },
    url: { type: "string" },
  });
  const { terminal } = program;
  if (values.url !== undefined && values.for !== undefined) {
    throw new BelayError(refuse("usage", "--url cannot be combined with --for."));
  }
  if (values.url !== undefined) return logInElsewhere(String(values.url), program);
  const url = await program.loginLink(values.for === undefined ? undefined : String(values.for));
  terminal.write(
    terminal.json
      ? `${visibleJson({ url })}\n`
      : `Open this link in a browser. It works once, within ten minutes:\n\n  ${colors.bold(url)}\n\n`,
  );
  return 0;
}

/** Logs this machine in at a server elsewhere. The token is kept in a file that only its user can read. */
async function logInElsewhere(server: string, { terminal, deviceLogin }: Program): Promise<number> {
  const { owner, file } = await deviceLogin(server, (url, code) => {
    terminal.note(`Open ${url} in a browser, compare the code ${code}, and approve the login.`);
  });
  terminal.write(
    terminal.json
      ? `${visibleJson({ owner, file })}\n`
      : `✓ Logged in as ${visibleLine(owner)}. The token is in ${visibleLine(file)}\n`,
  );
  return 0;
}
