import { BelayError, refuse } from "../contract/errors.ts";
import { isRecord } from "../contract/is-record.ts";
import { LISTING_FIELDS, type Listing } from "../contract/stream.ts";
import { LIST_FILTERS, type ListFilter } from "./stream-store.ts";

/** What of a stream a filter looks at. */
interface Listed {
  readonly key: string;
  readonly listing: Listing;
}

/** Throws on a filter that nobody knows or that has a value of another type: it never means "all streams". */
export function checkFilter(filter: ListFilter): void {
  for (const [name, value] of Object.entries(filter)) {
    const known = LIST_FILTERS.find((each) => each === name);
    if (known === undefined) throw unknownFilter(name);
    const { takes, fits } = typeOf(known);
    if (value === undefined || fits(value)) continue;
    const message = `The filter ${name} takes ${takes}.`;
    throw new BelayError(refuse("invalid_input", message, { filter: name, value }));
  }
}

/** Whether a filter that was checked selects this stream. */
export function matchesFilter({ key, listing }: Listed, filter: ListFilter): boolean {
  const { created_before, active_after, active_before, recent } = filter;
  const { created, activity } = listing;
  return (
    fieldNames.every((name) => matchesField(listing[name], filter[name])) &&
    key.startsWith(filter.key_prefix ?? "") &&
    (created_before === undefined || created < created_before) &&
    (active_after === undefined || activity > active_after) &&
    (active_before === undefined || activity < active_before) &&
    (recent === undefined || listing.status !== recent.status || activity > recent.active_after)
  );
}

type FieldName = keyof typeof LISTING_FIELDS;

const fieldNames = Object.keys(LISTING_FIELDS).filter(isFieldName);

function isFieldName(name: string): name is FieldName {
  return Object.hasOwn(LISTING_FIELDS, name);
}

/** A text is one of those wanted; of a count or a flag, it is wanted whether there is any. */
function matchesField(value: string | number, wanted: ListFilter[FieldName]): boolean {
  if (wanted === undefined) return true;
  if (typeof value === "number") return wanted === value > 0;
  return Array.isArray(wanted) ? wanted.includes(value) : wanted === value;
}

interface FilterType {
  readonly takes: string;
  readonly fits: (value: unknown) => boolean;
}

const text: FilterType = { takes: "a text", fits: (value) => typeof value === "string" };
const texts: FilterType = {
  takes: "a list of texts",
  fits: (value) => Array.isArray(value) && value.every((each) => typeof each === "string"),
};
const truth: FilterType = {
  takes: "true or false",
  fits: (value) => typeof value === "boolean",
};
const only: FilterType = { takes: "true", fits: (value) => value === true };
const time: FilterType = {
  takes: "a time in milliseconds",
  fits: (value) => typeof value === "number" && !Number.isNaN(value),
};
const recency: FilterType = {
  takes: "a status and a time in milliseconds",
  fits: (value) => isRecord(value) && text.fits(value.status) && time.fits(value.active_after),
};

const ownTypes: Readonly<Partial<Record<keyof ListFilter, FilterType>>> = {
  status: texts,
  unsettled: only,
  key_prefix: text,
  created_before: time,
  active_after: time,
  active_before: time,
  recent: recency,
};

function typeOf(name: keyof ListFilter): FilterType {
  const own = ownTypes[name];
  if (own) return own;
  return isFieldName(name) && LISTING_FIELDS[name] === "text" ? text : truth;
}

function unknownFilter(filter: string): BelayError {
  const message = `Unknown filter: ${filter}. Known filters: ${LIST_FILTERS.join(", ")}.`;
  return new BelayError(refuse("unknown_filter", message, { filter, known: LIST_FILTERS }));
}
