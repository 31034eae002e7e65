import { createHash } from "node:crypto";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { hostname, uptime } from "node:os";

/** The /proc entry of a process that runs or waits to be reaped. */
export interface ProcStat {
  readonly pid: number;
  readonly parent: number;
  readonly is_zombie: boolean;
  /** Clock ticks since boot. */
  readonly start_time: number;
}

/** Null if there is no such process, or no /proc. */
export function readStat(pid: number): ProcStat | null {
  const stat = readProc(`${pid}/stat`);
  // The second field is the command in parentheses, and may itself contain spaces and parentheses.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [parent, ticks] = [Number(fields?.[1]), Number(fields?.[19])];
  if (!fields || !Number.isFinite(parent) || !Number.isFinite(ticks)) return null;
  return { pid, parent, is_zombie: fields[0] === "Z" || fields[0] === "X", start_time: ticks };
}

/** All processes, without those that wait to be reaped; empty if there is no /proc. */
export function listStats(): ProcStat[] {
  return listPids().flatMap((pid) => {
    const stat = readStat(pid);
    return stat && !stat.is_zombie ? [stat] : [];
  });
}

/** True if the process was started with `NAME=value` in its environment. False if we may not read it. */
export function wasStartedWith(pid: number, entry: string): boolean {
  return readProc(`${pid}/environ`)?.split("\0").includes(entry) ?? false;
}

/** The value of a variable in the environment that the process was started with; null if it has none, or we may not read it. */
export function readVariable(pid: number, name: string): string | null {
  const entries = readProc(`${pid}/environ`)?.split("\0") ?? [];
  return entries.find((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1) ?? null;
}

/**
 * The user who started the process and as whom it acts; null if these differ, if there is no such process, or no /proc.
 */
export function readOwner(pid: number): number | null {
  const ids = /^Uid:\s(.+)$/m
    .exec(readProc(`${pid}/status`) ?? "")?.[1]
    ?.split("\t")
    .map(Number);
  return ids?.every((id) => id === ids[0]) ? (ids[0] ?? null) : null;
}

let bootId: string | null | undefined;
export function readBootId(): string | null {
  bootId ??= readText("/proc/sys/kernel/random/boot_id")?.trim() ?? null;
  return bootId;
}

let machine: string | null | undefined;
/**
 * The id of this machine, the same after a restart. Null if it has none. Only a digest, because the id itself is
 * confidential.
 */
export function readMachine(): string | null {
  if (machine === undefined) {
    const id = readText("/etc/machine-id")?.trim() ?? "";
    const digest = createHash("sha256").update(`belay machine ${id} ${hostname()}`).digest("hex");
    machine = id === "" ? null : digest.slice(0, 16);
  }
  return machine;
}

let node: string | null | undefined;
/** The pid namespace of this process: the same pid in another namespace is another process. Null if there are none. */
export function readNode(): string | null {
  node ??= readLink("/proc/self/ns/pid");
  return node;
}

/** True if the process runs in the pid namespace of this one, and not in a sandbox with its own. */
export function isInOurNode(pid: number): boolean {
  return readLink(`/proc/${pid}/ns/pid`) === readNode();
}

/** Without its own /proc, a pid namespace shows the pids of another. */
let isOurs: boolean | undefined;
function readProc(path: string): string | null {
  isOurs ??= readLink("/proc/self") === String(process.pid);
  return isOurs ? readText(`/proc/${path}`) : null;
}

function listPids(): number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

/** Null for everything that is not a link. */
export function readLink(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

/** The time since this machine started, by a monotonic clock that stops while the machine sleeps. */
export function readUptime(): { boot_id: string | null; uptime_ms: number } {
  return {
    boot_id: readBootId(),
    uptime_ms: Number(process.hrtime.bigint() / 1_000_000n),
  };
}

/** The time since this machine started, including sleep. */
export function readMachineUptime(): { boot_id: string | null; up_ms: number } {
  return { boot_id: readBootId(), up_ms: uptime() * 1000 };
}
