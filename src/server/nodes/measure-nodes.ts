import { Counter, Gauge, type Registry } from "prom-client";
import type { Membership, NodeMeasures, NodeRegistry } from "../../store/node-registry.ts";

/** Registers the metrics of nodes. Most of them are read on request. */
export function measureNodes(
  registry: Registry,
  nodes: NodeRegistry,
  membership: () => Membership | null,
) {
  const registers = [registry];
  new Gauge({
    name: "belay_nodes",
    help: "Nodes that serve the same database, by whether they live",
    labelNames: ["state"],
    registers,
    collect() {
      const nodes = membership()?.nodes() ?? [];
      this.set({ state: "live" }, nodes.filter(({ live }) => live).length);
      this.set({ state: "gone" }, nodes.filter(({ live }) => !live).length);
    },
  });
  /** All metrics of one request share one measurement. */
  let asked: Promise<NodeMeasures | null> | null = null;
  const measure = (): Promise<NodeMeasures | null> => {
    asked ??= nodes
      .measure()
      .catch(() => null)
      .finally(() => {
        asked = null;
      });
    return asked;
  };
  new Gauge({
    name: "belay_leases",
    help: "Sessions with work under way that this node holds",
    registers,
    async collect() {
      const measured = await measure();
      if (measured) this.set(measured.leases);
    },
  });
  new Gauge({
    name: "belay_feed_lag_seconds",
    help: "For how long readers of the feed have waited for the oldest transaction under way",
    registers,
    async collect() {
      const measured = await measure();
      if (measured) this.set(measured.feed_lag_ms / 1000);
    },
  });
  new Counter({
    name: "belay_takeovers_total",
    help: "Leases of sessions, chores and webhooks that this node has taken over from nodes that were gone",
    registers,
    async collect() {
      const measured = await measure();
      this.reset();
      this.inc(measured?.takeovers ?? 0);
    },
  });
  new Gauge({
    name: "belay_database_connections",
    help: "Connections of this process to the database, free ones, and requests that wait for one",
    labelNames: ["state"],
    registers,
    async collect() {
      const measured = await measure();
      if (!measured) return;
      this.set({ state: "open" }, measured.connections);
      this.set({ state: "free" }, measured.free);
      this.set({ state: "waiting" }, measured.waiting);
    },
  });
  new Gauge({
    name: "belay_database_silence_seconds",
    help: "Since the database answered this node last",
    registers,
    collect() {
      this.set((membership()?.silence() ?? 0) / 1000);
    },
  });
  return {
    gone: new Counter({
      name: "belay_nodes_gone_total",
      help: "Other nodes that this one has seen go",
      registers,
    }),
    lost: new Counter({
      name: "belay_node_registrations_lost_total",
      help: "How often the registration of this node was not renewed in time",
      registers,
    }),
  };
}
