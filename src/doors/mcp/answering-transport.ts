import type {
  JSONRPCMessage,
  MessageExtraInfo,
  RequestId,
  Transport,
} from "@modelcontextprotocol/server";
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
} from "@modelcontextprotocol/server";

/** Wraps a transport and tracks if every request has its answer. */
export class AnsweringTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?:
    | (<T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void)
    | undefined;
  /** Resolves when nothing more can be read or answered. */
  readonly closed: Promise<void>;
  readonly #inner: Transport;
  readonly #open = new Set<RequestId>();
  #onAnswered = (): void => {};

  #onClosed = (): void => {};

  constructor(inner: Transport) {
    this.#inner = inner;
    this.closed = new Promise((resolve) => {
      this.#onClosed = resolve;
    });
  }

  async start(): Promise<void> {
    this.#inner.onclose = () => {
      this.#onClosed();
      this.onclose?.();
    };
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onmessage = (message, extra) => {
      if (isJSONRPCRequest(message)) this.#open.add(message.id);
      // A cancelled request gets no answer.
      if (isJSONRPCNotification(message) && message.method === "notifications/cancelled") {
        this.#forget(message.params?.requestId);
      }
      this.onmessage?.(message, extra);
    };
    await this.#inner.start();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    try {
      await this.#inner.send(message);
    } finally {
      if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) {
        this.#forget(message.id);
      }
    }
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }

  /** Resolves when no request waits for an answer. */
  async answered(): Promise<void> {
    if (this.#open.size === 0) return;
    await new Promise<void>((resolve) => {
      this.#onAnswered = resolve;
    });
  }

  #forget(id: unknown): void {
    if (typeof id === "string" || typeof id === "number") this.#open.delete(id);
    if (this.#open.size === 0) this.#onAnswered();
  }
}
