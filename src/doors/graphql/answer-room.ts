import { BelayError, refuse } from "../../contract/errors.ts";
import { isRecord } from "../../contract/is-record.ts";
import { LIMITS } from "../../contract/limits.ts";
import { QUERY_LIMITS } from "./limit-query.ts";

/** Counts the size of one answer while it is built. */
export class AnswerRoom {
  #left: number = QUERY_LIMITS.answer;
  #last: Promise<unknown> | null = null;

  /** Reads one after the other, because pages read at once would all be in memory before the first is counted. */
  read<T>(work: () => Promise<T>, least = 0): Promise<T> {
    const start = (): Promise<T> => {
      this.#expect();
      return this.add(work(), least);
    };
    const reading = this.#last ? this.#last.then(start, start) : start();
    this.#last = reading;
    return reading;
  }

  /** Counts a result that was read together with others. The one that exceeds the limit is the last. */
  async add<T>(reading: Promise<T>, least = 0): Promise<T> {
    const output = await reading;
    this.#expect();
    this.#left -= Math.max(least, lengthOf(output));
    return output;
  }

  #expect(): void {
    if (this.#left <= 0) throw new BelayError(refuse("too_large", FULL, DETAILS));
  }
}

/** The least size that a list counts for, because filling or searching a page may read more than is shown. */
export function leastOf({ limit, search }: Readonly<Record<string, unknown>>): number {
  const asked = typeof limit === "number" ? limit * PER_ITEM : 0;
  return Math.min(LIMITS.PAGE_BYTES, search === undefined ? asked : Math.max(asked, 2 ** 20));
}

const PER_ITEM = 5000;

const DETAILS = { max: QUERY_LIMITS.answer };
const FULL = `The answer has more than ${QUERY_LIMITS.answer} characters. Ask for fewer fields or smaller pages.`;

/** The length of all texts and names in a value, counted without copying. */
function lengthOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 1;
  let length = 0;
  if (Array.isArray(value)) for (const item of value) length += 1 + lengthOf(item);
  else if (isRecord(value)) {
    for (const name of Object.keys(value)) length += name.length + lengthOf(value[name]);
  }
  return length;
}
