import { streams } from "./0001-streams.ts";

/** In order; a migration's number is its place. One that was released is never changed. */
export const migrations: readonly string[] = [streams];
