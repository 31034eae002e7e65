import type { Chore } from "../../server/chores/chores.ts";
import type { ServiceContext } from "../../service/service-context.ts";
import { deliverSpool } from "./deliver-spool.ts";
import type { SpoolPlaces } from "./spool.ts";
import { listSpool } from "./spool.ts";

/**
 * Writes the sightings that hooks could not. `owner` is the owner whose hooks may leave events in a project's spool.
 */
export function spoolChore(
  context: ServiceContext,
  places: SpoolPlaces & { readonly owner: string },
): Chore {
  return {
    name: "spool",
    every_ms: 10_000,
    async run(signal) {
      if (listSpool(places).length === 0) return { counts: { delivered: 0 } };
      const { delivered, rejected, blocked } = await deliverSpool(
        context,
        places,
        () => signal.aborted,
      );
      return { counts: { delivered, rejected: rejected.length, blocked }, notes: rejected };
    },
  };
}
