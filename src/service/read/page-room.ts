import { LIMITS } from "../../contract/limits.ts";
import { jsonBytes } from "../../core/text-size.ts";

/** Counts the bytes of a page while it is filled. */
export class PageRoom {
  #left: number = LIMITS.PAGE_BYTES;
  #isEmpty = true;

  /** False if the page ends before this item. The first item always fits, so that paging never gets stuck. */
  fits(item: unknown): boolean {
    this.#left -= jsonBytes(item);
    const fits = this.#left >= 0 || this.#isEmpty;
    this.#isEmpty = false;
    return fits;
  }
}
