import { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Admission } from "../../server/access/tokens.ts";

interface OpenStream {
  readonly admission: Admission;
  /** A connection that is no longer HTTP counts as a stream from the start. */
  readonly response: ServerResponse | Socket;
  readonly controller: AbortController;
}

/**
 * A constant text, because creating an exception with a stack for each finished request costs as much as checking its
 * token.
 */
const GONE = "the client has gone";

/** Requests that may last. Each ends with its client, its token or the server. */
export class OpenStreams {
  readonly #streams = new Set<OpenStream>();
  readonly #isAdmitted: (admission: Admission) => Promise<boolean>;
  readonly #every_ms: number;
  #timer: NodeJS.Timeout | undefined;
  #ended = false;
  #isChecking = false;

  constructor(isAdmitted: (admission: Admission) => Promise<boolean>, every_ms: number) {
    this.#isAdmitted = isAdmitted;
    this.#every_ms = every_ms;
  }

  /** The number of answers that are streams now. */
  get count(): number {
    return [...this.#streams].filter(
      ({ response }) =>
        !(response instanceof ServerResponse) ||
        String(response.getHeader("content-type") ?? "").startsWith("text/event-stream"),
    ).length;
  }

  /** Aborted when the request must end. */
  add(admission: Admission, response: ServerResponse | Socket): AbortSignal {
    const stream = { admission, response, controller: new AbortController() };
    if (this.#ended || response.destroyed) {
      stream.controller.abort();
      return stream.controller.signal;
    }
    this.#streams.add(stream);
    this.#timer ??= setInterval(() => void this.#check(), this.#every_ms).unref();
    response.once("close", () => {
      this.#streams.delete(stream);
      stream.controller.abort(GONE);
      if (this.#streams.size === 0) this.#rest();
    });
    return stream.controller.signal;
  }

  endAll(): void {
    this.#ended = true;
    this.#rest();
    for (const { controller } of this.#streams) controller.abort();
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** All tokens at once, so that they are read together. Streams of one token may have been let in with different rights. */
  async #check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    const streams = Map.groupBy(this.#streams, ({ admission }) => rightsOf(admission));
    await Promise.all(
      [...streams.values()].map(async (alike) => {
        const [first] = alike;
        // If the store cannot be read now, nobody is disconnected.
        if (!first || (await this.#isAdmitted(first.admission).catch(() => true))) return;
        for (const { controller } of alike) controller.abort();
      }),
    );
    this.#isChecking = false;
  }
}

function rightsOf({ token_id, scope, role }: Admission): string {
  return `${token_id} ${scope} ${role}`;
}
