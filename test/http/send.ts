import { request } from "node:http";
import { connect } from "node:net";

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** A request with any headers, including Host and Origin, which `fetch` would set itself. */
export function send(
  port: number,
  method: string,
  path: string,
  { headers = {}, body }: Sent = {},
): Promise<Received> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: "127.0.0.1", port, method, path, headers, agent: false },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on("data", (chunk: Buffer) => chunks.push(chunk));
        answer.on("error", reject);
        answer.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text });
        });
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

/** Sends raw bytes and returns everything until the server disconnects. */
export function sendBytes(port: number, bytes: string | Buffer, end = false): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => {
      if (end) socket.end(bytes);
      else socket.write(bytes);
    });
    const chunks: Buffer[] = [];
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", reject);
    socket.on("close", () => resolve(Buffer.concat(chunks).toString()));
  });
}

/** The `error` of a JSON answer. */
export function errorOf(text: string): unknown {
  const body: unknown = JSON.parse(text);
  return typeof body === "object" && body !== null && "error" in body ? body.error : undefined;
}
