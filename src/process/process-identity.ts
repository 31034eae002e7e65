import { readBootId, readMachine, readNode, readOwner, readStat } from "./read-proc.ts";

/** Identifies a process permanently, because its pid alone may be reused. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly start_time: number | null;
  readonly boot_id: string | null;
  /** The pid namespace of the pid. Null if there are none; older versions did not store it. */
  readonly node?: string | null | undefined;
  /** The machine of the process; absent if only processes of one machine are compared. */
  readonly machine?: string | null | undefined;
}

/** This process as a lease holder, which other machines may check. */
export function identifyHolder(name: string): ProcessIdentity & { readonly name: string } {
  return { name, ...identifyProcess(process.pid), machine: readMachine() };
}

export function identifyProcess(pid: number): ProcessIdentity {
  const start_time = readStat(pid)?.start_time ?? null;
  return { pid, start_time, boot_id: readBootId(), node: readNode() };
}

/**
 * True if exactly that process still runs. Null for another machine or pid namespace, such as a container or its host,
 * where the pid means another process.
 */
export function checkProcess(identity: ProcessIdentity): boolean | null {
  const { pid, start_time, boot_id, node, machine } = identity;
  if (machine !== undefined && machine !== null && machine !== readMachine()) return null;
  const boot = readBootId();
  if (boot_id !== null && boot !== null && boot_id !== boot) return false;
  if (node !== undefined && node !== readNode()) return null;
  const stat = readStat(pid);
  // A process that ended but is not reaped still has its pid.
  if (stat?.is_zombie) return false;
  if (stat && start_time !== null) return stat.start_time === start_time;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/**
 * The same for holders on any machine: false only if the kernel of this machine knows that the process is gone. A process
 * that lives proves nothing, because it may hang: its lease ends by time.
 */
export function checkNeighbor(identity: ProcessIdentity): false | null {
  const { boot_id, node } = identity;
  const isHere = boot_id !== null && boot_id === readBootId() && node === readNode();
  return isHere && checkProcess(identity) === false ? false : null;
}

/** False only if exactly that process is known to be gone. */
export function isAlive(identity: ProcessIdentity): boolean {
  return checkProcess(identity) ?? true;
}

/** True if the process runs as our own user. False if that cannot be known. */
export function isOwn(pid: number): boolean {
  return readOwner(pid) === process.getuid?.();
}
