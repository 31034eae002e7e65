import type { Logger } from "pino";
import { BelayError, refuse } from "../../contract/errors.ts";
import { createApp } from "./create-app.ts";
import type { HttpAddress, HttpTimes } from "./create-server.ts";
import { HTTP_TIMES } from "./create-server.ts";
import type { HttpParts } from "./http-parts.ts";
import { OpenStreams } from "./open-streams.ts";

export interface HttpServer {
  readonly url: string;
  /** Streams end, and their clients reconnect elsewhere; running requests may finish. */
  close(): Promise<void>;
}

export async function serveHttp(
  parts: HttpParts,
  address: HttpAddress,
  log: Logger,
  times: HttpTimes = HTTP_TIMES,
): Promise<HttpServer> {
  const streams = new OpenStreams((admission) => parts.isAdmitted(admission), times.admission_ms);
  const app = createApp({ parts, address, log, times, streams });
  // Uses one fixed address, whatever the machine resolves localhost to.
  const host = address.host === "localhost" ? "127.0.0.1" : address.host;
  const url = await app.listen({ host, port: address.port }).catch((error: unknown) => {
    throw explainAddress(address, error);
  });
  return {
    url: address.tls ? url.replace(/^http:/, "https:") : url,
    async close() {
      const closed = app.close();
      streams.endAll();
      const late = setTimeout(() => app.server.closeAllConnections(), times.grace_ms);
      await closed;
      clearTimeout(late);
    },
  };
}

const UNLISTENABLE = ["EADDRINUSE", "EACCES", "EADDRNOTAVAIL", "ENOTFOUND", "EAI_AGAIN"];

function explainAddress({ host, port }: HttpAddress, error: unknown): unknown {
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (!UNLISTENABLE.some((known) => known === code)) return error;
  const message =
    code === "EADDRINUSE"
      ? `Port ${port} of ${host} is used by another program. Choose one with --port, or any free one with --port 0.`
      : `Cannot listen on ${host}, port ${port} (${code}). Choose others with --host and --port.`;
  return new BelayError(refuse("address_taken", message, { host, port }), error);
}
