/** The actor of events that recovery writes. */
export const RECOVERY = "recovery";

/**
 * The prefix of the actor that imported a session from another tool. No client's name contains a
 * colon.
 */
export const IMPORT_ACTOR = "import:";

/** Actors that Belay itself uses. No client can use such a name. */
const RESERVED: ReadonlySet<string> = new Set([RECOVERY, "belay", "library", "mcp", "restore"]);

export function isReservedActor(name: string): boolean {
  return RESERVED.has(name.trim().toLowerCase());
}
