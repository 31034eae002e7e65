import { BelayError, refuse } from "../contract/errors.ts";
import { type Listing, type ListingDeclaration, SESSION_LISTING } from "../contract/stream.ts";
import { checkDeclaration, checkFilter } from "./list-rules.ts";
import type { ListingValues, ListQuery } from "./stream-store.ts";

/**
 * Maps each declared field to a column of `streams`. The columns are named after the session
 * fields, because the indexes are hand-picked. A field of another name uses a column of its kind,
 * in the order of the declaration, which must not change.
 */
export class ListingColumns {
  readonly declared: ListingDeclaration;
  readonly #columns = new Map<string, string>();
  /** The field of each column. */
  readonly #fields: Partial<Record<string, string>> = {};
  readonly #isPlain: boolean;

  constructor(declared: ListingDeclaration) {
    checkDeclaration(declared);
    this.declared = declared;
    const { order, tally } = SESSION_LISTING;
    this.#assign(declared.order, order);
    this.#assign(declared.tally.by, tally.by);
    this.#assign(declared.tally.sum, tally.sum);
    const rest = Object.keys(declared.fields).filter((field) => !this.#columns.has(field));
    const isNamed = (field: string) => this.#freeColumns(field).includes(field);
    for (const field of rest.filter(isNamed)) this.#assign(field, field);
    for (const field of rest) {
      if (!this.#columns.has(field)) this.#assign(field, this.#freeColumns(field)[0]);
    }
    this.#isPlain = [...this.#columns].every(([field, column]) => field === column);
  }

  /** Converts a checked listing. */
  toColumns(listing: ListingValues): Listing {
    return {
      status: this.#text(listing, "status"),
      phase: this.#text(listing, "phase"),
      agent: this.#text(listing, "agent"),
      interface: this.#text(listing, "interface"),
      project: this.#text(listing, "project"),
      task: this.#text(listing, "task"),
      waiting: this.#number(listing, "waiting"),
      unsettled: this.#number(listing, "unsettled") === 1 ? 1 : 0,
      pinned: this.#number(listing, "pinned") === 1 ? 1 : 0,
      created: this.#number(listing, "created"),
      activity: this.#number(listing, "activity"),
    };
  }

  /** Checks the filter and translates the query to columns. */
  toQuery(query: ListQuery): ListQuery {
    checkFilter(query.filter, this.declared);
    if (this.#isPlain) return query;
    const filter = Object.fromEntries(
      Object.entries(query.filter).map(([name, value]) => [this.#columns.get(name) ?? name, value]),
    );
    return { ...query, filter };
  }

  #assign(field: string, column: string | undefined): void {
    if (column === undefined) {
      const message = `No column is left for the field ${field}. Declare fewer fields of its kind.`;
      throw new BelayError(refuse("invalid_input", message, { field }));
    }
    this.#columns.set(field, column);
    this.#fields[column] = field;
  }

  #freeColumns(field: string): string[] {
    return Object.entries(SESSION_LISTING.fields).flatMap(([column, kind]) =>
      kind === this.declared.fields[field] && this.#fields[column] === undefined ? [column] : [],
    );
  }

  #text(listing: ListingValues, column: keyof Listing): string {
    const value = listing[this.#fields[column] ?? ""];
    return typeof value === "string" ? value : "";
  }

  #number(listing: ListingValues, column: keyof Listing): number {
    const value = listing[this.#fields[column] ?? ""];
    return typeof value === "number" ? value : 0;
  }
}
