import { type Flags, readFlags } from "./flags.ts";
import { helpText } from "./help-text.ts";
import { createMemory } from "./memory.ts";
import { relaunch } from "./relaunch.ts";
import { serveProtocol } from "./serve-protocol.ts";
import { openStdio } from "./stdio.ts";

const USAGE_ERROR = 2;

/**
 * Serves one client on stdin and stdout. Resolves with the exit code when the client is done with it; the caller then
 * has to exit, for there may be turns that hang.
 */
export async function runDemoAgent(args: readonly string[]): Promise<number> {
  if (args.includes("--help")) {
    process.stdout.write(helpText());
    return 0;
  }
  const flags = readFlags(args);
  if (typeof flags === "string") {
    process.stderr.write(`demo agent: ${flags}\n\n${helpText()}`);
    return USAGE_ERROR;
  }
  if (flags.has("relaunch")) return relaunch();
  return serve(flags);
}

function serve(flags: Flags): Promise<number> {
  if (flags.has("ignore-term")) process.on("SIGTERM", () => {});
  // Nothing else may keep it running once stdin has ended.
  if (flags.has("ignore-end")) setInterval(() => {}, 60_000);
  const memory = createMemory(process.env);
  return new Promise((resolve) => {
    const stdio = openStdio({ noise: flags.has("noise"), ignoreEnd: flags.has("ignore-end") });
    const connection = serveProtocol(stdio, { flags, memory, exit: resolve, hung: false });
    // What was cancelled by the end gets the time to write down what it knows.
    void connection.closed.then(() => setImmediate(() => resolve(0)));
  });
}
