import type { ExpiringValues } from "./expiring-values.ts";
import type { Holder } from "./stream-store.ts";

/**
 * The nodes that serve the same data. Each renews one registration, by the clock of the store. A registration that was not
 * renewed in time cannot be renewed later: all leases under it are free, and its node registers again.
 */
export interface NodeRegistry {
  /**
   * Registers this process as a node and renews the registration until it leaves. Leases that are acquired through this
   * store from then on belong to the registration. Refused while another process is registered with the same id.
   */
  join(node: NewNode, listener: NodeListener): Promise<Membership>;
  list(): Promise<readonly NodeView[]>;
  /** The most streams that one transaction should touch. More would exhaust the memory that all nodes share. */
  readonly most_streams: number;
  /** The time of the database in milliseconds, which is the same for all nodes, whatever their clocks say. */
  now(): number;
  measure(): Promise<NodeMeasures>;
  /** A secret that all processes with access to the data share. */
  readSecret(): Promise<Uint8Array>;
  readonly values: ExpiringValues;
}

/** Measurements for operators. */
export interface NodeMeasures {
  /** The connections of this process to the database, the free ones, and the requests that wait for one. */
  readonly connections: number;
  readonly free: number;
  readonly waiting: number;
  /** The age of the oldest transaction that readers of the feed wait for. */
  readonly feed_lag_ms: number;
  /** The number of unsettled streams that this node holds. */
  readonly leases: number;
  /** The number of leases that this process has taken over from nodes that were gone. */
  readonly takeovers: number;
}

export interface NewNode {
  readonly id: string;
  /** The name that people see. */
  readonly name: string;
  readonly holder: Holder;
  /** Identifies the files of the agents that run on the node. */
  readonly place: string;
}

export interface NodeView extends Pick<NewNode, "id" | "name" | "place"> {
  /** The number of agents that the node can still start; negative if it is shutting down. */
  readonly room: number;
  readonly live: boolean;
}

export interface NodeListener {
  /** The number of agents that this node can still start; negative if it is shutting down. */
  room(): number;
  /** A node is gone. Its leases are free. */
  onGone(node: NodeView): void;
  /** The registration was not renewed in time. All leases under it are lost, and the node has registered again. */
  onLost(): void;
  /** The registration was not renewed in time, and another process has registered with the same id. */
  onReplaced(): void;
  /** Other nodes ask this one to drive these streams. */
  onCalled(ids: readonly string[]): void;
}

export interface Membership {
  readonly id: string;
  /** All nodes, including this one, as of about a second ago. */
  nodes(): readonly NodeView[];
  /** Milliseconds since the last answer of the database. */
  silence(): number;
  /** Asks a node to drive a stream. The node may ignore it, so the caller checks later. */
  call(node: string, stream: string): Promise<void>;
  leave(): Promise<void>;
}
