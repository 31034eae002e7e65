import { belay } from "./belay.ts";
import type { Contender } from "./contender.ts";
import { rawSqlite } from "./raw-sqlite.ts";

/** The first is the limit that the others are measured against. */
export const contenders: readonly [Contender, ...Contender[]] = [rawSqlite, belay];
