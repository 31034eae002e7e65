import { readBootId, readStat } from "./read-proc.ts";

/** A process for good: a pid alone may come to belong to another. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly start_time: number | null;
  readonly boot_id: string | null;
}

export function identifyProcess(pid: number): ProcessIdentity {
  return { pid, start_time: readStat(pid)?.start_time ?? null, boot_id: readBootId() };
}

/** True only where that very process still runs. What cannot be checked counts as alive. */
export function isAlive({ pid, start_time, boot_id }: ProcessIdentity): boolean {
  const boot = readBootId();
  if (boot_id !== null && boot !== null && boot_id !== boot) return false;
  const stat = readStat(pid);
  // What has ended and only waits to be reaped still has its pid, but it runs no more.
  if (stat?.is_zombie) return false;
  if (stat && start_time !== null) return stat.start_time === start_time;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
