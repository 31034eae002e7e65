import { STATUSES, type Status } from "../../../src/contract/vocabulary.ts";

/** The filters of a list. They are in the address, so that they can be bookmarked, sent and returned to. */
export interface Filters {
  readonly q?: string;
  /** Without a status, the default list. */
  readonly status?: Status | "any";
  readonly agent?: string;
  readonly project?: string;
  readonly task?: string;
  readonly archived?: true;
}

/** Applied to the filters in the address, which may be newer than those that are shown. */
export type FilterChange = (now: Filters) => Filters;

export const STATUS_FILTERS = ["any", ...STATUSES] as const;

export function readFilters(search: Readonly<Record<string, unknown>>): Filters {
  const text = (name: string): string | undefined =>
    search[name] === undefined || search[name] === "" ? undefined : String(search[name]);
  const [q, agent, project, task] = ["q", "agent", "project", "task"].map(text);
  const status = STATUS_FILTERS.find((each) => each === search.status);
  return {
    ...(q !== undefined && { q }),
    ...(status !== undefined && { status }),
    ...(agent !== undefined && { agent }),
    ...(project !== undefined && { project }),
    ...(task !== undefined && { task }),
    ...(search.archived === true && { archived: true }),
  };
}
