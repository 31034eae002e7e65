import { visibleText } from "../../contract/visible-text.ts";
import { colors } from "./colors.ts";
import type { Terminal } from "./program.ts";
import { terminalText } from "./terminal-text.ts";

interface Streams {
  readonly stdout: NodeJS.WritableStream & Partial<Pick<NodeJS.WriteStream, "isTTY" | "columns">>;
  readonly stderr: NodeJS.WritableStream;
}

export function createTerminal({ stdout, stderr }: Streams, json: boolean): Terminal {
  // A reader such as `head` may stop early, and a terminal may be closed.
  stdout.on("error", (error) => {
    if (!("code" in error) || (error.code !== "EPIPE" && error.code !== "EIO")) throw error;
    process.exit(0);
  });
  stderr.on("error", () => {});
  const isTerminal = stdout.isTTY === true;
  return {
    json,
    interactive: isTerminal && !json,
    columns: isTerminal ? (stdout.columns ?? 80) : 120,
    write: (text) => void stdout.write(terminalText(text, colors.isColorSupported)),
    note: (text) => void stderr.write(`${visibleText(text)}\n`),
    draw: (text) => void stdout.write(text),
  };
}
