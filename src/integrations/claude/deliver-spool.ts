import { BelayError, type ErrorCode } from "../../contract/errors.ts";
import { isSessionHead } from "../../core/session/known-events.ts";
import { errorCode } from "../../files/file-refusal.ts";
import type { ServiceContext } from "../../service/service-context.ts";
import { loadStream } from "../../store/read-streams.ts";
import { recordSighting } from "./record-sighting.ts";
import type { SpoolFile, SpoolPlaces } from "./spool.ts";
import { dropSpoolFile, listSpool, readSpoolFile, setAside } from "./spool.ts";
import type { SpooledSighting } from "./spooled-sighting.ts";

interface SpoolDelivery {
  readonly delivered: number;
  /** Sightings that no session accepts, set aside with the reason. */
  readonly rejected: readonly string[];
  /** The number still waiting, because their session cannot be read or another owner must deliver them. */
  readonly blocked: number;
  /** The number still waiting, because time ran out. */
  readonly left: number;
}

/**
 * Delivers the sightings that hooks could not write, in order and each once: a sighting has its own key, so one that
 * another process delivers at the same moment, or that was written just before its hook gave up, is recognized. Throws
 * if the store still cannot be written; undelivered sightings stay. Files in a project are delivered for `owner` alone:
 * those of others wait for them.
 */
export async function deliverSpool(
  context: ServiceContext,
  { owner, ...places }: SpoolPlaces & { readonly owner: string },
  isOver: () => boolean = () => false,
): Promise<SpoolDelivery> {
  const files = listSpool(places);
  const rejected: string[] = [];
  const damaged = new Set<string>();
  let delivered = 0;
  let blocked = 0;
  for (const file of files) {
    if (isOver()) break;
    const outcome = await deliver(context, owner, file, damaged);
    if (outcome === "blocked") {
      blocked += 1;
    } else if (outcome === "delivered") {
      delivered += 1;
      dropSpoolFile(file);
    } else {
      rejected.push(`${file.name}: ${outcome.reason}`);
      setAside(file);
    }
  }
  const left = files.length - delivered - rejected.length - blocked;
  return { delivered, rejected, blocked, left };
}

async function deliver(
  context: ServiceContext,
  owner: string,
  file: SpoolFile,
  damaged: Set<string>,
): Promise<"delivered" | "blocked" | { readonly reason: string }> {
  let session = "";
  try {
    const read = readSpoolFile(file, context.store.fileSeal);
    if ("why" in read) return { reason: read.why };
    const { entry, isSealed } = read;
    if (!isSealed && (file.isForeign || entry.owner !== owner)) {
      return { reason: "it has no checksum, so anyone may have written it" };
    }
    if (file.isForeign && entry.owner !== owner) return "blocked";
    session = JSON.stringify([entry.owner, entry.sighting.session_id]);
    // Sightings after one that cannot be delivered yet wait with it.
    if (damaged.has(session)) return "blocked";
    await recordLate(context, entry);
    return "delivered";
  } catch (error) {
    // Another process has delivered it.
    if (errorCode(error) === "ENOENT") return "delivered";
    if (error instanceof BelayError && error.code === "storage_damaged") {
      damaged.add(session);
      return "blocked";
    }
    if (isStorageTrouble(error)) throw error;
    return { reason: error instanceof Error ? error.message : String(error) };
  }
}

/** With the time of the sighting, unless its session has newer events. */
async function recordLate(
  context: ServiceContext,
  { owner, sighting }: SpooledSighting,
): Promise<void> {
  const key = sighting.session_id;
  const stream = await loadStream(context.store, { kind: "session", owner, key });
  const since = isSessionHead(stream?.head) ? stream.head.updated_at : 0;
  const at = Math.min(context.now(), Math.max(sighting.at, since));
  await recordSighting({ ...context, now: () => at }, owner, sighting);
}

/** True if the store, not the request, is the problem: it may work later. */
export function isStorageTrouble(error: unknown): boolean {
  return error instanceof BelayError && STORAGE.has(error.code);
}

const STORAGE: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "store_busy",
  "storage_damaged",
  "storage_newer",
  "storage_full",
  "storage_failed",
  "storage_read_only",
  "storage_unsupported",
  "encryption_key_missing",
  "encryption_key_wrong",
]);
