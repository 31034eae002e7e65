import { readBootId, readMachine, readNode, readOwner, readStat } from "./read-proc.ts";

/** A process for good: a pid alone may come to belong to another. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly start_time: number | null;
  readonly boot_id: string | null;
  /** The pid namespace in which the pid counts. Null where there are none, absent in what an older Belay wrote. */
  readonly node?: string | null | undefined;
  /** The machine on which all of this counts; absent where only processes of one machine meet. */
  readonly machine?: string | null | undefined;
}

/** A process as the holder of a lease, which others may look at from other machines. */
export function identifyHolder(name: string): ProcessIdentity & { readonly name: string } {
  return { name, ...identifyProcess(process.pid), machine: readMachine() };
}

export function identifyProcess(pid: number): ProcessIdentity {
  const start_time = readStat(pid)?.start_time ?? null;
  return { pid, start_time, boot_id: readBootId(), node: readNode() };
}

/**
 * Whether that very process still runs. Null for one of another machine, and for one of another pid namespace, as of a
 * container or its host: its pid means another process here, or none.
 */
export function checkProcess(identity: ProcessIdentity): boolean | null {
  const { pid, start_time, boot_id, node, machine } = identity;
  if (machine !== undefined && machine !== null && machine !== readMachine()) return null;
  const boot = readBootId();
  if (boot_id !== null && boot !== null && boot_id !== boot) return false;
  if (node !== undefined && node !== readNode()) return null;
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

/** False only where that very process is known to be gone. */
export function isAlive(identity: ProcessIdentity): boolean {
  return checkProcess(identity) ?? true;
}

/** Whether the process runs as our own user. False where that cannot be known. */
export function isOwn(pid: number): boolean {
  return readOwner(pid) === process.getuid?.();
}
