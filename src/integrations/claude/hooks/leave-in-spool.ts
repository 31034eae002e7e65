import { isRecord } from "../../../contract/is-record.ts";
import { readEncryptionMark } from "../../../files/encryption-mark.ts";
import { readFile } from "../../../files/read-file.ts";
import { checkProcess } from "../../../process/process-identity.ts";
import { serverAddressFile } from "../../../server/server-address-file.ts";
import { listSpool, putInHomeSpool } from "../spool.ts";
import type { HookDeps } from "./hook-deps.ts";
import type { HookPlan } from "./hook-plan.ts";

/**
 * Leaves a sighting in the spool: for the server of the data folder, which records it at once, or for the next process,
 * if none has the store open. The file is on disk when the hook ends. That takes less time than opening the store.
 * "refused" if the hook has to record the sighting itself; "overtaken" if a process opened the store meanwhile, so the
 * hook has to deliver the spool.
 */
export async function leaveInSpool(
  { sighting, notes }: HookPlan,
  deps: HookDeps,
): Promise<"left" | "refused" | "overtaken"> {
  if (!sighting || notes || deps.server) return "refused";
  try {
    const served = isServed(deps.home);
    if (!served && !(await mayWait(deps))) return "refused";
    // To encrypt the file takes longer than to record its content.
    const mark = readEncryptionMark(deps.home);
    // A server that hangs delivers nothing, and nobody may start another process.
    if (mark || listSpool(deps).length >= MOST_WAITING) return "refused";
    putInHomeSpool(deps, { owner: deps.owner, sighting }, deps.newId(), mark);
    // A process that opens the store from now on finds the file.
    return served || (await mayWait(deps)) ? "left" : "overtaken";
  } catch {
    return "refused";
  }
}

const MOST_WAITING = 16;

async function mayWait({ mayEventsWait }: HookDeps): Promise<boolean> {
  return (await mayEventsWait?.()) === true;
}

/** True if a server of this machine serves the folder. */
function isServed(home: string): boolean {
  const text = readFile(serverAddressFile(home))?.toString("utf8");
  if (text === undefined) return false;
  const address: unknown = JSON.parse(text);
  if (!isRecord(address)) return false;
  const { pid, start_time, boot_id, node } = address;
  if (typeof pid !== "number" || typeof start_time !== "number") return false;
  if (typeof boot_id !== "string" || (node !== null && typeof node !== "string")) return false;
  return checkProcess({ pid, start_time, boot_id, node }) === true;
}
