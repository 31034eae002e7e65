import { Agent, get, type IncomingMessage } from "node:http";

/** Many listeners of one stream, and the age of each piece of the answer when it reached them. */
export class StreamReaders {
  readonly #ages: number[] = [];
  readonly #responses: IncomingMessage[] = [];
  readonly #agent = new Agent({ keepAlive: false });
  #ended = 0;
  #onEnd = (): void => {};

  static async open(
    count: number,
    url: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<StreamReaders> {
    const readers = new StreamReaders();
    for (let nth = 0; nth < count; nth++) await readers.#connect(url, headers);
    return readers;
  }

  /** Runs a turn, and returns the ages of all pieces once every listener has received its end. */
  async hear(begin: () => Promise<void>): Promise<number[]> {
    this.#ages.length = 0;
    this.#ended = 0;
    const over = new Promise<void>((resolve) => {
      this.#onEnd = resolve;
    });
    await begin();
    await over;
    return [...this.#ages];
  }

  close(): void {
    for (const response of this.#responses) response.destroy();
    this.#agent.destroy();
  }

  #connect(url: string, headers: Readonly<Record<string, string>>): Promise<void> {
    return new Promise((resolve, reject) => {
      const asked = get(url, { headers, agent: this.#agent }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`${url}: ${response.statusCode}`));
        this.#responses.push(response);
        let rest = "";
        response.setEncoding("utf8");
        response.on("data", (text: string) => {
          const now = process.hrtime.bigint();
          const events = (rest + text).split("\n\n");
          rest = events.pop() ?? "";
          for (const event of events) this.#take(event, now);
        });
        response.on("error", () => {});
        resolve();
      });
      asked.on("error", reject);
    });
  }

  #take(event: string, now: bigint): void {
    if (event.includes("event: turn.ended")) {
      this.#ended += 1;
      if (this.#ended === this.#responses.length) this.#onEnd();
      return;
    }
    if (!event.includes("event: delta")) return;
    // One delta may contain several pieces, because earlier text is sent at once.
    for (const [written] of event.matchAll(/\d{12,}(?= )/g)) {
      this.#ages.push(Number(now - BigInt(written)) / 1e6);
    }
  }
}
