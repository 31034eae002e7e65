import { isRecord } from "../../../contract/is-record.ts";
import { readEncryptionMark } from "../../../files/encryption-mark.ts";
import { readFile } from "../../../files/read-file.ts";
import { checkProcess } from "../../../process/process-identity.ts";
import { serverAddressFile } from "../../../server/server-address-file.ts";
import { listSpool, putInHomeSpool } from "../spool.ts";
import type { HookDeps } from "./hook-deps.ts";
import type { HookPlan } from "./hook-plan.ts";

/**
 * Leaves a sighting to the server of the data folder, through the spool: the file is on disk when the hook ends, and the
 * server records it at once. That takes the hook less time than opening the store. False if the hook has to record it
 * itself.
 */
export function leaveToServer({ sighting, notes }: HookPlan, deps: HookDeps): boolean {
  if (!sighting || notes || deps.server || !isServed(deps.home)) return false;
  // To encrypt the file takes longer than to record its content.
  if (readEncryptionMark(deps.home)) return false;
  // A server that hangs delivers nothing.
  if (listSpool(deps).length >= MOST_WAITING) return false;
  try {
    putInHomeSpool(deps, { owner: deps.owner, sighting }, deps.newId());
    return true;
  } catch {
    return false;
  }
}

const MOST_WAITING = 16;

/** True if a server of this machine serves the folder. */
function isServed(home: string): boolean {
  try {
    const address: unknown = JSON.parse(readFile(serverAddressFile(home))?.toString("utf8") ?? "");
    if (!isRecord(address)) return false;
    const { pid, start_time, boot_id, node } = address;
    if (typeof pid !== "number" || typeof start_time !== "number") return false;
    if (typeof boot_id !== "string" || (node !== null && typeof node !== "string")) return false;
    return checkProcess({ pid, start_time, boot_id, node }) === true;
  } catch {
    return false;
  }
}
