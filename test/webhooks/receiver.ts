import { createHmac } from "node:crypto";
import type {
  IncomingHttpHeaders,
  IncomingMessage,
  RequestListener,
  Server,
  ServerResponse,
} from "node:http";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";

/** As PEM. */
interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly id: string;
  readonly type: string;
  readonly session_id: string;
  readonly status: number | null;
}

/** A status to answer with; null means no answer at all. */
export type Answering = (received: Received, response: ServerResponse) => number | null;

/** A program that receives webhooks. It can die and come back at the same address. */
export class Receiver {
  readonly received: Received[] = [];
  answer: Answering = () => 200;
  #server: Server | null = null;
  #port = 0;

  readonly #tls: Certificate | null;

  constructor(tls: Certificate | null) {
    this.#tls = tls;
  }

  static async start(tls: Certificate | null = null): Promise<Receiver> {
    const receiver = new Receiver(tls);
    await receiver.comeBack();
    started.add(receiver);
    return receiver;
  }

  get url(): string {
    return `${this.#tls ? "https" : "http"}://127.0.0.1:${this.#port}/hook`;
  }

  get port(): number {
    return this.#port;
  }

  /** The acknowledged deliveries, in order. */
  get acknowledged(): Received[] {
    return this.received.filter(({ status }) => status === 200);
  }

  async comeBack(): Promise<void> {
    const take: RequestListener = (request, response) => void this.#take(request, response);
    const server = this.#tls ? createTlsServer(this.#tls, take) : createServer(take);
    await new Promise<void>((resolve) => server.listen(this.#port, "127.0.0.1", resolve));
    const address = server.address();
    if (typeof address !== "object" || !address) throw new Error("no port");
    this.#port = address.port;
    this.#server = server;
  }

  async die(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    server?.closeAllConnections();
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(null)));
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const { url: path = "", headers } = request;
    const body = { path, headers, text, ...readEnvelope(text), status: null };
    const status = this.answer(body, response);
    this.received.push({ ...body, status });
    if (status === null || response.headersSent) return;
    response.writeHead(status).end("thank you");
  }
}

const started = new Set<Receiver>();

export async function endReceivers(): Promise<void> {
  await Promise.all([...started].map((receiver) => receiver.die()));
  started.clear();
}

/** Written from the standard's text, independent of the signing code. */
export function standardSignature(secret: string, headers: IncomingHttpHeaders, text: string) {
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const content = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${text}`;
  return `v1,${createHmac("sha256", key).update(content).digest("base64")}`;
}

function readEnvelope(text: string) {
  const body: unknown = JSON.parse(text);
  const read = (value: unknown, ...path: string[]): string => {
    let found = value;
    for (const step of path) found = Object(found)[step];
    return typeof found === "string" ? found : "";
  };
  return {
    id: read(body, "id"),
    type: read(body, "type"),
    session_id: read(body, "data", "session", "session_id"),
  };
}
