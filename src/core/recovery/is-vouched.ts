import type { Intent } from "../../contract/action/intent.ts";
import type { Interface } from "../../contract/vocabulary.ts";

/** Interfaces that only a user with access to the data folder can use. */
const LOCAL: ReadonlySet<string> = new Set<Interface>(["cli", "library"]);

/**
 * True if recovery may act on the process, the files and the rollback that an action names. Older
 * versions accepted them from any caller, so their events only count if they came through a local
 * interface.
 */
export function isVouched(event: { readonly interface: string; readonly data: Intent }): boolean {
  return event.data.vouched ?? LOCAL.has(event.interface);
}
