import { Counter, Gauge, type Registry } from "prom-client";
import type { Membership, NodeRegistry } from "../../store/node-registry.ts";

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
  const leases = new Gauge({
    name: "belay_leases",
    help: "Sessions with work under way that this node holds",
    registers,
  });
  const lag = new Gauge({
    name: "belay_feed_lag_seconds",
    help: "For how long readers of the feed have waited for the oldest transaction under way",
    registers,
  });
  new Gauge({
    name: "belay_database_connections",
    help: "Connections of this process to the database, free ones, and requests that wait for one",
    labelNames: ["state"],
    registers,
    async collect() {
      const measured = await nodes.measure().catch(() => null);
      if (!measured) return;
      this.set({ state: "open" }, measured.connections);
      this.set({ state: "free" }, measured.free);
      this.set({ state: "waiting" }, measured.waiting);
      leases.set(measured.leases);
      lag.set(measured.feed_lag_ms / 1000);
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
