import type { Readable, Transform, Writable } from "node:stream";
import { ProtocolErrorCode } from "@modelcontextprotocol/server";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { visibleText } from "../../contract/visible-text.ts";
import type { BelayService } from "../../service/belay-service.ts";
import type { Caller } from "../../service/service-context.ts";
import { AnsweringTransport } from "./answering-transport.ts";
import { createMcpServer } from "./create-mcp-server.ts";
import { limitLines, MAX_LINE_BYTES } from "./limit-lines.ts";
import { reportUnexpected } from "./report-unexpected.ts";

interface McpStreams {
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** Clients that write a log read it from here. */
  readonly stderr: { write(text: string): unknown };
}

const PATIENCE_MS = 10_000;

/**
 * `belay mcp`: serves one client on stdin and stdout until stdin ends and all requests are answered. The client's name
 * becomes the actor of its work, for the owner in `base`.
 */
export async function runMcp(
  service: BelayService,
  base: Caller,
  { stdin, stdout, stderr }: McpStreams,
  version: string,
): Promise<void> {
  const input = limitLines((id) => {
    const message = `The message is too long: at most ${MAX_LINE_BYTES} bytes are allowed.`;
    const error = { code: ProtocolErrorCode.InvalidRequest, message };
    stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, error })}\n`);
  });
  const wire = new AnsweringTransport(new StdioServerTransport(input, stdout));
  const told = reportUnexpected(service, (error) => {
    stderr.write(
      visibleText(`belay mcp: ${error instanceof Error ? error.message : String(error)}\n`),
    );
  });
  // The work of a client without a name must not look like the work of the person who started it.
  const caller = { ...base, actor: "mcp" };
  const served = serveStdio(() => createMcpServer(told, caller, version), {
    transport: wire,
    // There are no subscriptions, because neither tools nor resources announce changes.
    maxSubscriptions: 0,
  });
  await Promise.race([ended(stdin, input), wire.closed]);
  await Promise.race([wire.answered(), wire.closed, patience()]);
  await served.close();
  // A client that still writes must not keep the process alive.
  stdin.unpipe(input);
  stdin.destroy();
  input.destroy();
}

/** The SDK's transport drops running requests when its input ends, so the end is not passed on. */
async function ended(stdin: Readable, input: Transform): Promise<void> {
  await new Promise<void>((resolve) => {
    for (const event of ["end", "close", "error"]) stdin.once(event, () => resolve());
    stdin.pipe(input, { end: false });
    if (stdin.readableEnded || stdin.destroyed) resolve();
  });
  // Piped data is read in the next rounds of the event loop.
  while (input.readableLength > 0 && !input.destroyed) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  await new Promise((resolve) => setImmediate(resolve));
}

function patience(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PATIENCE_MS).unref());
}
