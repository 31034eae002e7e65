import { streams } from "./0001-streams.ts";
import { unsettled } from "./0002-unsettled.ts";

/** In order: applying the n-th makes a database of version n. A released one is never edited. */
export const MIGRATIONS: readonly string[] = [streams, unsettled];
