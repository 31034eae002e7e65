import { setTimeout as sleep } from "node:timers/promises";
import { checkProcess, type ProcessIdentity } from "./process-identity.ts";
import {
  isInOurNode,
  listStats,
  type ProcStat,
  readBootId,
  readNode,
  readVariable,
  wasStartedWith,
} from "./read-proc.ts";
import { isSupervisor } from "./supervise.ts";

/**
 * Every process that an agent starts inherits this variable, whatever its process group and parent become, so it finds
 * them even if the chain of parents is broken.
 */
export const MARKER_VARIABLE = "BELAY_AGENT_PROCESS";

interface EndOptions {
  readonly marker?: string | undefined;
  /** Milliseconds from SIGTERM to SIGKILL. */
  readonly grace: number;
  /** Processes that belonged to the tree earlier; their parent may be gone by now. */
  readonly known?: readonly ProcessIdentity[];
}

/** The process, all its descendants, and all processes with the marker and theirs. Never this process itself. */
export function snapshotTree(root: ProcessIdentity, marker?: string): ProcessIdentity[] {
  return findMembers([root], marker);
}

/** Ends a whole tree, first with SIGTERM. Resolves when no process is left. */
export async function endTree(root: ProcessIdentity, options: EndOptions): Promise<void> {
  await endMembers([root, ...(options.known ?? [])], options.marker, options.grace);
}

/** Ends the processes that a dead agent left behind, found by the marker alone. */
export async function endMarked(marker: string, grace: number): Promise<void> {
  await endMembers([], marker, grace);
}

async function endMembers(
  seeds: readonly ProcessIdentity[],
  marker: string | undefined,
  grace: number,
): Promise<void> {
  const roots = new Map(seeds.map((seed) => [keyOf(seed), seed]));
  const untouchable = new Set<string>();
  const asked = new Set<string>();
  const killAt = performance.now() + grace;
  for (let pause = 10; ; pause = Math.min(pause * 1.5, 150)) {
    // Searched again each time, because processes that are ending may still start others.
    const members = findMembers([...roots.values()], marker).filter(
      (member) => !untouchable.has(keyOf(member)),
    );
    if (members.length === 0) return;
    const isLate = performance.now() >= killAt;
    for (const member of members) {
      const key = keyOf(member);
      roots.set(key, member);
      if (!isLate && asked.has(key)) continue;
      asked.add(key);
      // A supervisor would pass the signal on to the agent, which already has it, and ends with it.
      if (!isLate && isSupervisor(member.pid)) continue;
      if (!sendSignal(member, isLate ? "SIGKILL" : "SIGTERM")) untouchable.add(key);
    }
    await sleep(isLate ? 20 : Math.min(pause, Math.max(1, killAt - performance.now())));
  }
}

/** Signals exactly that process, and no other with the same pid. False if we may not signal it. */
export function sendSignal(member: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (!checkProcess(member)) return true;
  try {
    process.kill(member.pid, signal);
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "EPERM");
  }
}

function findMembers(
  roots: readonly ProcessIdentity[],
  marker: string | undefined,
): ProcessIdentity[] {
  if (marker === "") throw new Error("an empty marker would mark nothing");
  const here = roots.filter((root) => checkProcess(root) === true);
  const stats = listStats();
  if (stats.length === 0) return here;
  const alive = new Set(here.map((root) => root.pid));
  const found = stats.filter(
    (stat) => alive.has(stat.pid) || (marker !== undefined && hasMarker(stat, marker, stats)),
  );
  return withDescendants(found, stats).map(({ pid, start_time }) => ({
    pid,
    start_time,
    boot_id: readBootId(),
    node: readNode(),
  }));
}

/**
 * Programs in a sandbox choose the environment of their processes, and could pass them off as those of another session.
 * The sandbox itself, outside of it, was started with the marker of its own session.
 */
function hasMarker({ pid, parent }: ProcStat, marker: string, stats: readonly ProcStat[]): boolean {
  if (!wasStartedWith(pid, `${MARKER_VARIABLE}=${marker}`)) return false;
  if (isInOurNode(pid)) return true;
  let outer = stats.find((stat) => stat.pid === parent);
  while (outer && !isInOurNode(outer.pid)) {
    const above = outer.parent;
    outer = stats.find((stat) => stat.pid === above);
  }
  const own = outer ? readVariable(outer.pid, MARKER_VARIABLE) : null;
  return own === null || own === marker;
}

function withDescendants(found: readonly ProcStat[], stats: readonly ProcStat[]): ProcStat[] {
  const children = new Map<number, ProcStat[]>();
  for (const stat of stats) {
    const siblings = children.get(stat.parent);
    if (siblings) siblings.push(stat);
    else children.set(stat.parent, [stat]);
  }
  const members = new Map<number, ProcStat>();
  const open = [...found];
  for (let next = open.pop(); next; next = open.pop()) {
    if (next.pid === process.pid || members.has(next.pid)) continue;
    members.set(next.pid, next);
    open.push(...(children.get(next.pid) ?? []));
  }
  return [...members.values()];
}

function keyOf({ pid, start_time }: ProcessIdentity): string {
  return `${pid}:${start_time}`;
}
