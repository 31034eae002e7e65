import { AUDIT_KINDS, type AuditKind } from "../../../src/contract/vocabulary.ts";

/** The periods that can be chosen, in days. */
export const DAYS = [1, 7, 30, "all"] as const;

/** The chosen part of the audit, stored in the address. */
export interface AuditFilters {
  readonly days?: number | "all";
  readonly what?: AuditKind;
  readonly person?: string;
  readonly session?: string;
  readonly everyone?: true;
}

export function readAuditFilters(search: Readonly<Record<string, unknown>>): AuditFilters {
  const days = DAYS.find((known) => known === search.days);
  const what = AUDIT_KINDS.find((known) => known === search.what);
  return {
    ...(days !== undefined && { days }),
    ...(what !== undefined && { what }),
    ...textIn("person", search),
    ...textIn("session", search),
    ...(search.everyone === true && { everyone: true }),
  };
}

/** A name of digits is a number in the address. */
function textIn(field: "person" | "session", search: Readonly<Record<string, unknown>>) {
  const value = search[field];
  const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
  return text === "" ? {} : { [field]: text };
}

/** The fields of a request for these entries. A session is shown from its start unless a period is chosen. */
export function toAuditInput(filters: AuditFilters, now: number) {
  const { session, what, person, everyone } = filters;
  const days = filters.days ?? (session === undefined ? 7 : "all");
  const since = days === "all" ? 0 : now - days * 24 * 3_600_000;
  return {
    since: new Date(since).toISOString(),
    ...(session !== undefined && { id: session }),
    ...(what !== undefined && { what }),
    ...(person !== undefined && { person }),
    ...(everyone && session === undefined && { everyone }),
  };
}
