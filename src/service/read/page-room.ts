import { LIMITS } from "../../contract/limits.ts";
import { jsonBytes, mostJsonBytes } from "../../core/text-size.ts";

/** Counts the bytes of a page while it is filled. */
export class PageRoom {
  #left: number = LIMITS.PAGE_BYTES;
  #isEmpty = true;
  /** Items that surely fit, so they were not counted exactly. */
  readonly #uncounted: unknown[] = [];
  #most = 0;

  /** False if the page ends before this item. The first item always fits, so that paging never gets stuck. */
  fits(item: unknown): boolean {
    this.#uncounted.push(item);
    this.#most += mostJsonBytes(item);
    const fits = this.#most <= this.#left || this.#count() >= 0 || this.#isEmpty;
    this.#isEmpty = false;
    return fits;
  }

  #count(): number {
    for (const item of this.#uncounted.splice(0)) this.#left -= jsonBytes(item);
    this.#most = 0;
    return this.#left;
  }
}
