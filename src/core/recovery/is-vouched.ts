import type { Intent } from "../../contract/events.ts";
import type { Interface } from "../../contract/vocabulary.ts";

/** Doors that only someone who has the data folder itself can come by. */
const LOCAL: ReadonlySet<string> = new Set<Interface>(["cli", "library"]);

/**
 * Whether recovery may act on the process, the files and the rollback that an action names. Older versions took them from
 * any caller, so their events are believed only where they came by a local door.
 */
export function isVouched(event: { readonly interface: string; readonly data: Intent }): boolean {
  return event.data.vouched ?? LOCAL.has(event.interface);
}
