import { PassThrough } from "node:stream";
import { createProgram } from "../../src/compose-program.ts";
import { createTerminal } from "../../src/doors/cli/create-terminal.ts";
import { runCli } from "../../src/doors/cli/run-cli.ts";

/** Runs one command line on a data folder, as the program does, without starting a process. */
export async function runInProcess(
  home: string,
  args: readonly string[],
  json: boolean,
  terminal: { isTTY?: boolean; columns?: number } = {},
) {
  const stdout = Object.assign(new PassThrough(), terminal);
  const streams = { stdout, stderr: new PassThrough() };
  const code = await runCli(args, createProgram(home, createTerminal(streams, json)));
  const textOf = (stream: PassThrough) => String(stream.read() ?? "");
  return { code, stdout: textOf(streams.stdout), stderr: textOf(streams.stderr) };
}
