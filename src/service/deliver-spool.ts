import { BelayError, type ErrorCode } from "../contract/errors.ts";
import { isSessionHead } from "../core/known-events.ts";
import type { ServiceContext } from "./context.ts";
import type { SpoolPlaces } from "./spool.ts";
import { dropSpoolFile, listSpool, readSpoolFile, setAside } from "./spool.ts";
import type { SpooledSighting } from "./spooled-sighting.ts";
import { recordSighting } from "./watch-agent.ts";

export interface SpoolDelivery {
  readonly delivered: number;
  /** What no session takes, set aside with the reason. */
  readonly rejected: readonly string[];
  /** Still waiting, because time ran out. */
  readonly left: number;
}

/**
 * Delivers what hooks could not write, in order and each once: a sighting carries its own key, so one that another
 * process delivers at the same moment, or that was written just before its hook gave up, is recognised. Throws where the
 * store still cannot be written; what was not delivered stays.
 */
export async function deliverSpool(
  context: ServiceContext,
  places: SpoolPlaces,
  until: number = Number.POSITIVE_INFINITY,
): Promise<SpoolDelivery> {
  const files = listSpool(places);
  const rejected: string[] = [];
  let delivered = 0;
  for (const file of files) {
    if (performance.now() >= until) break;
    const reason = await deliver(context, () => readSpoolFile(file));
    if (reason === null) {
      delivered += 1;
      dropSpoolFile(file);
    } else {
      rejected.push(`${file.name}: ${reason}`);
      setAside(file);
    }
  }
  return { delivered, rejected, left: files.length - delivered - rejected.length };
}

/** Null when it is where it belongs, else why it cannot be. */
async function deliver(
  context: ServiceContext,
  read: () => SpooledSighting | null,
): Promise<string | null> {
  try {
    const entry = read();
    if (!entry) return "not a spooled sighting";
    await recordLate(context, entry);
    return null;
  } catch (error) {
    if (isGone(error)) return null;
    if (isStorageTrouble(error)) throw error;
    return error instanceof Error ? error.message : String(error);
  }
}

/** With the time at which it was seen, unless its session has gone on since. */
async function recordLate(
  context: ServiceContext,
  { owner, sighting }: SpooledSighting,
): Promise<void> {
  const key = sighting.session_id;
  const stream = await context.store.load({ kind: "session", owner, key });
  const since = isSessionHead(stream?.head) ? stream.head.updated_at : 0;
  const at = Math.min(context.now(), Math.max(sighting.at, since));
  await recordSighting({ ...context, now: () => at }, owner, sighting);
}

/** True where the store, not the request, is why something could not be written: it may work later. */
export function isStorageTrouble(error: unknown): boolean {
  return !(error instanceof BelayError) ? false : STORAGE.has(error.code);
}

const STORAGE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "store_busy",
  "storage_damaged",
  "storage_newer",
  "storage_full",
  "storage_failed",
  "storage_read_only",
  "storage_unsupported",
]);

/** Another process has delivered it. */
function isGone(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
