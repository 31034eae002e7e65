import { type Refusal, refuse } from "../contract/errors.ts";

/** A session that waits for one of the slots for working agents. */
export interface Waiting {
  readonly id: string;
  readonly owner: string;
  /** True if its agent works already: a person answered it while all slots were in use. */
  readonly continues: boolean;
}

/** The agents of one process, each by the owner of its session, and the sessions that wait. */
export interface AgentUse {
  /** Agents that have a slot. */
  readonly working: readonly string[];
  /** Agents that wait for a person's answer. They have no slot. */
  readonly asking: readonly string[];
  /** In the order in which they came. */
  readonly line: readonly Waiting[];
  /** Owners, in the order in which they last got a slot. */
  readonly served: readonly string[];
}

/** Working agents and those that wait for a person, together, are at most this many times the number of slots. */
const AGENTS_PER_SLOT = 4;
/** The most sessions of one owner that may wait for an agent. */
const LONGEST_LINE = 1000;

export function mostAgents(slots: number): number {
  return slots * AGENTS_PER_SLOT;
}

/**
 * The line in the order in which slots are given: to the owner with the fewest slots, then to the one who got none for
 * the longest time, so that nobody waits for all sessions of another. Agents that work already come before other sessions
 * of their owner.
 */
export function lineUp({ working, line, served }: AgentUse): Waiting[] {
  const held = countBy(working);
  const owners = Map.groupBy(line, ({ owner }) => owner);
  const first = new Map([...owners.keys()].map((owner, nth) => [owner, nth]));
  const last = new Map(served.map((owner, nth) => [owner, nth]));
  return [...owners]
    .flatMap(([owner, waiting]) => {
      const slots = held.get(owner) ?? 0;
      const at = { slots, last: last.get(owner) ?? -1, first: first.get(owner) ?? 0 };
      return waiting
        .toSorted((a, b) => Number(b.continues) - Number(a.continues))
        .map((one, nth) => ({ one, ...at, turn: slots + nth }));
    })
    .sort((a, b) => a.turn - b.turn || b.slots - a.slots || a.last - b.last || a.first - b.first)
    .map(({ one }) => one);
}

/** The session that gets the next slot; null if none is free, or nobody may have it. */
export function nextInLine(use: AgentUse, slots: number): Waiting | null {
  if (use.working.length >= slots || use.line.length === 0) return null;
  const may = ({ owner, continues }: Waiting) => continues || hasRoom(use, owner, slots);
  return lineUp(use).find(may) ?? null;
}

/** The number of sessions that would get a slot at once. */
export function freeSlots(use: AgentUse, slots: number): number {
  const busy = workingOwners(use).length + use.asking.length;
  const waiting = use.line.filter(({ continues }) => !continues).length;
  const free = Math.min(slots - use.working.length, mostAgents(slots) - busy);
  return Math.max(0, free - waiting);
}

/**
 * The reason why no further session of this owner may wait for an agent; null if it may. It may wait for working agents,
 * but not for a person.
 */
export function refuseToWait(use: AgentUse, owner: string, slots: number): Refusal | null {
  const waiting = use.line.filter((one) => one.owner === owner && !one.continues).length;
  if (waiting >= LONGEST_LINE) {
    const message = `${waiting} sessions of ${owner} wait for an agent already. Wait, or cancel some of them.`;
    return refuse("agents_busy", message, { waiting, limit: LONGEST_LINE });
  }
  if (hasRoom(use, owner, slots)) return null;
  const working = workingOwners(use);
  const asking = use.asking.filter((one) => one === owner).length;
  const isOwn = asking > 0 || working.includes(owner);
  if (isOwn ? working.includes(owner) : working.length > 0) return null;
  const who = isOwn ? `${asking} agents of ${owner}` : `All ${use.asking.length} agents`;
  const message = `${who} wait for a person's answer, so no further agent can start. Answer their questions, or suspend one of their sessions.`;
  const details = { asking: isOwn ? asking : use.asking.length, limit: mostAgents(slots) };
  return refuse("agents_busy", message, details);
}

/**
 * True if one more agent may run for this owner: as long as more places are free than the owner's agents occupy. So one
 * owner, whose agents all wait, never takes the last places.
 */
function hasRoom(use: AgentUse, owner: string, slots: number): boolean {
  const busy = [...workingOwners(use), ...use.asking];
  const own = busy.filter((one) => one === owner).length;
  return own < mostAgents(slots) - busy.length;
}

/** The owners of all agents that work, with a slot or without. */
function workingOwners({ working, line }: AgentUse): string[] {
  return [...working, ...line.flatMap(({ owner, continues }) => (continues ? owner : []))];
}

function countBy(owners: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const owner of owners) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  return counts;
}
