import { BelayError, refuse } from "../contract/errors.ts";
import { isRecord } from "../contract/is-record.ts";
import type { FieldKind, ListingDeclaration } from "../contract/stream.ts";
import type { FilterValue, ListFilter, ListingValues, TimeRange } from "./stream-store.ts";

/** The parts of a stream that a filter reads. */
interface Listed {
  readonly key: string;
  readonly listing: ListingValues;
}

/** The names of all filters of a store with this declaration. */
export function filterNames({ fields }: ListingDeclaration): string[] {
  return [...Object.keys(fields), ...Object.keys(ownFilters)];
}

/** Throws on an invalid declaration. */
export function checkDeclaration({ fields, order, tally }: ListingDeclaration): void {
  const expectKind = (name: string, kind: FieldKind): void => {
    if (fields[name] !== kind) throw misdeclared(`${name} must be declared as a ${kind}`);
  };
  expectKind(order, "time");
  expectKind(tally.by, "text");
  expectKind(tally.sum, "count");
  for (const name of Object.keys(ownFilters)) {
    if (name in fields)
      throw misdeclared(`${name} is a filter of every store; choose another name`);
  }
}

/**
 * Throws on an unknown filter and on a value of the wrong type, so that neither selects all
 * streams.
 */
export function checkFilter(filter: ListFilter, declared: ListingDeclaration): void {
  for (const [name, value] of Object.entries(filter)) {
    const type = typeOf(name, declared);
    if (!type) throw unknownFilter(name, declared);
    if (value === undefined || type.fits(value)) continue;
    const message = `The filter ${name} takes ${type.takes}.`;
    throw new BelayError(refuse("invalid_input", message, { filter: name, value }));
  }
}

/** True if a checked filter selects this stream. */
export function matchesFilter(
  listed: Listed,
  filter: ListFilter,
  declared: ListingDeclaration,
): boolean {
  for (const name in filter) {
    const wanted = filter[name];
    if (wanted !== undefined && !matches(listed, name, wanted, declared)) return false;
  }
  return true;
}

function matches(
  { key, listing }: Listed,
  name: string,
  wanted: FilterValue,
  { order, tally }: ListingDeclaration,
): boolean {
  const value = listing[name];
  if (typeof wanted === "string") {
    return name === "key_prefix" ? key.startsWith(wanted) : value === wanted;
  }
  if (typeof wanted === "boolean") return wanted === Number(value) > 0;
  if ("value" in wanted) return listing[tally.by] !== wanted.value || isIn(wanted, listing[order]);
  return "length" in wanted ? wanted.some((one) => one === value) : isIn(wanted, value);
}

function isIn({ after = -Infinity, before = Infinity }: TimeRange, time: unknown): boolean {
  return typeof time === "number" && time > after && time < before;
}

interface FilterType {
  readonly takes: string;
  readonly fits: (value: unknown) => boolean;
}

const isText = (value: unknown): boolean => typeof value === "string";
const isTime = (value: unknown): boolean => typeof value === "number" && !Number.isNaN(value);
const truth: FilterType = {
  takes: "true or false",
  fits: (value) => typeof value === "boolean",
};
const fieldFilters: Readonly<Record<FieldKind, FilterType>> = {
  text: {
    takes: "a text or a list of texts",
    fits: (value) => isText(value) || (Array.isArray(value) && value.every(isText)),
  },
  count: truth,
  flag: truth,
  time: {
    takes: "a range of milliseconds, as { after, before }",
    fits: (value) =>
      isRecord(value) &&
      Object.entries(value).every(
        ([name, time]) =>
          (name === "after" || name === "before") && (time === undefined || isTime(time)),
      ),
  },
};
/** The filters that exist without a declared field. */
const ownFilters: Readonly<Record<string, FilterType>> = {
  key_prefix: { takes: "a text", fits: isText },
  recent: {
    takes: "a text and a time in milliseconds, as { value, after }",
    fits: (value) => isRecord(value) && isText(value.value) && isTime(value.after),
  },
};

function typeOf(name: string, { fields }: ListingDeclaration): FilterType | undefined {
  if (Object.hasOwn(ownFilters, name)) return ownFilters[name];
  const kind = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return kind && fieldFilters[kind];
}

function unknownFilter(filter: string, declared: ListingDeclaration): BelayError {
  const known = filterNames(declared);
  const message = `Unknown filter: ${filter}. Known filters: ${known.join(", ")}.`;
  return new BelayError(refuse("unknown_filter", message, { filter, known }));
}

function misdeclared(message: string): BelayError {
  return new BelayError(refuse("invalid_input", `Invalid listing fields: ${message}.`));
}
