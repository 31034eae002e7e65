/** Who speaks in events of recovery itself. */
export const RECOVERY = "recovery";

/** The start of an actor's name that took a session over from another tool. No client's name contains a colon. */
export const IMPORT_ACTOR = "import:";

/** Actors that Belay itself speaks as. No client can take such a name. */
const RESERVED: ReadonlySet<string> = new Set([RECOVERY, "belay", "library", "mcp", "restore"]);

export function isReservedActor(name: string): boolean {
  return RESERVED.has(name.trim().toLowerCase());
}
