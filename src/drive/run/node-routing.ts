import type { SessionHead } from "../../contract/head.ts";
import type { Membership, NodeView } from "../../store/node-registry.ts";

/** The time that a node has to take a session that it was asked to drive. */
export const CALL_PATIENCE_MS = 5000;

/** Chooses the node that drives a session without a driver. A process that is not a node drives it itself. */
export class NodeRouting {
  #membership: Membership | null = null;
  #place: string | undefined;
  #isLeaving = false;
  /** The times at which other nodes were asked, by entity id. */
  readonly #called = new Map<string, number>();

  join(membership: Membership, place: string): void {
    this.#membership = membership;
    this.#place = place;
  }

  /** From now on, other nodes are chosen. */
  leave(): void {
    this.#isLeaving = true;
  }

  /** Identifies the files of the agents that run here; undefined if this process is not a node. */
  get place(): string | undefined {
    return this.#place;
  }

  /** True if the agent's own files of this session are on another node. */
  isElsewhere({ agent }: Pick<SessionHead, "agent">): boolean {
    const { place } = agent ?? {};
    return place !== undefined && this.#place !== undefined && place !== this.#place;
  }

  /**
   * Returns the other node that should drive the session; null for this one. An agent that can reopen its own session
   * stays on the node with its files. Any other goes to the node with most room.
   */
  choose(head: SessionHead, ownRoom: number): NodeView | null {
    const others = this.#others();
    const { agent } = head;
    if (agent?.place !== undefined && agent.session_id && agent.reopens) {
      if (agent.place === this.#place && !this.#isLeaving) return null;
      const home = others.find(({ place }) => place === agent.place);
      if (home) return home;
    }
    return this.findRoom(ownRoom);
  }

  /** The other node with most room; null if no other has more than this one. */
  findRoom(ownRoom: number): NodeView | null {
    const [best] = this.#others().toSorted((a, b) => b.room - a.room);
    return best && best.room > ownRoom ? best : null;
  }

  /** The number of agents that other nodes can start. */
  roomElsewhere(): number {
    return this.#others().reduce((sum, { room }) => sum + room, 0);
  }

  #others(): NodeView[] {
    const membership = this.#membership;
    const nodes = membership?.nodes() ?? [];
    return nodes.filter(({ id, live, room }) => live && room >= 0 && id !== membership?.id);
  }

  /** Asks a node to drive a session. False if it was asked before and did not: then another node must. */
  async call(node: NodeView, id: string): Promise<boolean> {
    const before = this.#called.get(id);
    if (before !== undefined) {
      if (performance.now() - before < CALL_PATIENCE_MS) return true;
      this.#called.delete(id);
      return false;
    }
    this.#called.set(id, performance.now());
    setTimeout(() => this.#called.delete(id), 2 * CALL_PATIENCE_MS).unref();
    await this.#membership?.call(node.id, id);
    return true;
  }
}
