import { readFileSync } from "node:fs";
import type { Holder } from "../store/stream-store.ts";

/** This process as the holder of a lease: a pid alone may come to belong to another. */
export function identifyProcess(name: string, pid: number = process.pid): Holder {
  return { name, pid, start_time: readStartTime(pid), boot_id: readBootId() };
}

/** True only where the process that took the lease still runs. What cannot be checked counts as alive. */
export function isAlive(holder: Holder): boolean {
  const boot = readBootId();
  if (holder.boot_id !== null && boot !== null && holder.boot_id !== boot) return false;
  const start = readStartTime(holder.pid);
  if (start !== null && holder.start_time !== null) return start === holder.start_time;
  try {
    process.kill(holder.pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Clock ticks since boot, from /proc; null where there is no such process or no /proc. */
function readStartTime(pid: number): number | null {
  const stat = readText(`/proc/${pid}/stat`);
  // The second field is the command in parentheses and may itself contain spaces and parentheses.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state, ticks] = [fields?.[0], Number(fields?.[19])];
  if (!Number.isFinite(ticks) || state === "Z") return null;
  return ticks;
}

let bootId: string | null | undefined;
function readBootId(): string | null {
  bootId ??= readText("/proc/sys/kernel/random/boot_id")?.trim() ?? null;
  return bootId;
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
