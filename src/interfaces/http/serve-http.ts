import type { Logger } from "pino";
import { createApp } from "./create-app.ts";
import type { HttpAddress, HttpTimes } from "./create-server.ts";
import { HTTP_TIMES } from "./create-server.ts";
import type { HttpParts } from "./http-parts.ts";
import { OpenStreams } from "./open-streams.ts";

export interface HttpServer {
  readonly url: string;
  /** Streams end, and their clients come back elsewhere; what is being answered may finish. */
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
  // One address, whatever the machine thinks that localhost is.
  const host = address.host === "localhost" ? "127.0.0.1" : address.host;
  const url = await app.listen({ host, port: address.port });
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
