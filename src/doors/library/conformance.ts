/** `belay-sessions/conformance`: the tests that check a store against every guarantee of the port. Runs in vitest. */

import { describeStoreConformance } from "../../store/conformance/store-conformance.ts";
import type { AlterBlobs, Skip, StoreSettings } from "../../store/conformance/suite.ts";
import { openMemoryStore } from "../../store/memory/memory-store.ts";
import type { StreamStore } from "../../store/stream-store.ts";

export type { Fault } from "../../store/conformance/break-store.ts";
export { faults } from "../../store/conformance/faulty-stores.ts";
export type { AlterBlobs, Skip, StoreSettings } from "../../store/conformance/suite.ts";
export { writeUntilKilled } from "../../store/conformance/write-until-killed.ts";

export interface ConformanceOptions {
  /** How the store detects the dead holder of a lease: by its process (the default), or by time. */
  readonly holders?: "process" | "time";
  /**
   * The clock of leases: the suite's (the default), which it passes to the store as `now`, or the store's own, such as
   * that of a database server. Then open the store with the `leaseMs` of its place; some tests wait that long, 800 ms.
   */
  readonly clock?: "suite" | "store";
  /**
   * A program that passes a store on the folder in its first argument to `writeUntilKilled`. Without it the data may
   * end with the process.
   */
  readonly writer?: URL;
  /** Alters the stored bytes of all blobs in a folder; needed for the test that altered blobs are refused. */
  readonly alterBlobs?: AlterBlobs;
  /** Tests that this store cannot pass, with the reason: `guarantee > claim`, or a whole guarantee such as `blobs`. */
  readonly skip?: readonly Skip[];
}

/**
 * Registers the conformance tests for a store. Call it in a vitest test file:
 *
 * ```ts
 * import { runConformance } from "belay-sessions/conformance";
 * import { openMyStore } from "./my-store.ts";
 *
 * runConformance("mine", ({ folder, isAlive, listing }) => openMyStore(folder, isAlive, listing));
 * ```
 */
export function runConformance(
  name: string,
  openStore: (place: StoreSettings) => StreamStore | Promise<StreamStore>,
  { holders, clock, writer, alterBlobs, skip }: ConformanceOptions = {},
): void {
  describeStoreConformance({
    name,
    open: openStore,
    durable: writer ? { writer } : false,
    reference: openMemoryStore,
    ...(holders && { holders }),
    ...(clock && { clock }),
    ...(alterBlobs && { alterBlobs }),
    ...(skip && { skip }),
  });
}
