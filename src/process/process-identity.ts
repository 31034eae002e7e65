import { readFileSync } from "node:fs";

/** A process for good: a pid alone may come to belong to another. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly start_time: number | null;
  readonly boot_id: string | null;
}

export function identifyProcess(pid: number): ProcessIdentity {
  return { pid, start_time: readStartTime(pid), boot_id: readBootId() };
}

/** True only where that very process still runs. What cannot be checked counts as alive. */
export function isAlive({ pid, start_time, boot_id }: ProcessIdentity): boolean {
  const boot = readBootId();
  if (boot_id !== null && boot !== null && boot_id !== boot) return false;
  const start = readStartTime(pid);
  if (start !== null && start_time !== null) return start === start_time;
  try {
    process.kill(pid, 0);
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
