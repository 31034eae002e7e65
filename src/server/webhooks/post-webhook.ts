import type { LookupAddress, LookupOptions } from "node:dns";
import type { IncomingMessage } from "node:http";
import { BelayError } from "../../contract/errors.ts";
import { findAddresses, type Resolve } from "./find-addresses.ts";

interface WebhookRequest {
  readonly url: string;
  readonly allow_private: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Posted {
  /** The status of the answer; null if there was none. */
  readonly status: number | null;
  /** The reason why it does not count as acknowledged. */
  readonly why: string | null;
  readonly duration_ms: number;
}

/** From resolving the name to the end of the answer. */
const TIME_LIMIT_MS = 10_000;
/** Answers are only read so that their senders can finish. */
const MOST_BYTES = 4096;

/** Sends one request to a checked address, and follows no redirect. Never throws. */
export async function postWebhook(
  sent: WebhookRequest,
  resolve: Resolve,
  signal: AbortSignal,
  limit_ms = TIME_LIMIT_MS,
): Promise<Posted> {
  const began = performance.now();
  const limit = AbortSignal.timeout(limit_ms);
  const answered = await post(sent, resolve, AbortSignal.any([limit, signal])).catch(
    (error: unknown) => ({ status: null, why: limit.aborted ? TOO_LATE : reasonOf(error) }),
  );
  return { ...answered, duration_ms: Math.round(performance.now() - began) };
}

export function isAcknowledged({ status }: Pick<Posted, "status">): boolean {
  return status !== null && status >= 200 && status < 300;
}

const TOO_LATE = "it did not answer in time";

async function post(sent: WebhookRequest, resolve: Resolve, signal: AbortSignal) {
  const url = new URL(sent.url);
  if (url.protocol !== "https:" && !sent.allow_private) throw new Error("only https:// is sent to");
  const addresses = await Promise.race([
    findAddresses(url.hostname, sent.allow_private, resolve),
    aborted(signal),
  ]);
  const response = await begin(url, sent, addresses, signal);
  const status = response.statusCode ?? 0;
  await drain(response);
  return { status, why: isAcknowledged({ status }) ? null : `it answered ${explain(status)}` };
}

function begin(
  url: URL,
  { headers, body }: WebhookRequest,
  addresses: readonly LookupAddress[],
  signal: AbortSignal,
): Promise<IncomingMessage> {
  // Loaded here, because every command loads this file and few send webhooks.
  const http = url.protocol === "https:" ? "node:https" : "node:http";
  const { request: send } = process.getBuiltinModule(http);
  return new Promise((resolve, reject) => {
    const request = send(url, {
      method: "POST",
      headers: {
        ...headers,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        "user-agent": "belay-webhooks",
      },
      // Neither a reused connection nor another lookup may lead to an unchecked address.
      agent: false,
      lookup: (_host, options, done) => answerWith(addresses, options, done),
      signal,
    });
    request.on("response", resolve);
    request.on("error", reject);
    request.end(body);
  });
}

type Found = (
  error: NodeJS.ErrnoException | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

function answerWith(
  addresses: readonly LookupAddress[],
  { all }: LookupOptions,
  done: Found,
): void {
  const [first] = addresses;
  if (!first) done(new Error("it has no address"), "");
  else if (all) done(null, [...addresses]);
  else done(null, first.address, first.family);
}

/** The status counts, whether or not the answer ends well. */
function drain(response: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0;
    response.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MOST_BYTES) response.destroy();
    });
    response.on("error", () => resolve());
    response.on("close", resolve);
  });
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
  });
}

function explain(status: number): string {
  return status >= 300 && status < 400 ? `${status}, and redirects are not followed` : `${status}`;
}

/** A short reason without any text from the other side. */
function reasonOf(error: unknown): string {
  if (error instanceof BelayError) return error.message.replace(/^url: /, "");
  const code = error instanceof Error && "code" in error ? error.code : null;
  return typeof code === "string" ? `it cannot be reached (${code})` : "it cannot be reached";
}
