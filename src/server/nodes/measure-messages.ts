import { Counter, Gauge, type Registry } from "prom-client";
import type { NodeMessages } from "../../store/node-messages.ts";

/** Registers the metrics of messages between nodes. */
export function measureMessages(registry: Registry, messages: NodeMessages): void {
  const registers = [registry];
  new Gauge({
    name: "belay_redis_up",
    help: "1 if messages between nodes arrive through Redis, 0 if they do not",
    registers,
    collect() {
      this.set(messages.problem() === null ? 1 : 0);
    },
  });
  new Counter({
    name: "belay_redis_messages_total",
    help: "Messages of this node: sent, received, dropped because Redis was slow or away, rejected as forged",
    labelNames: ["outcome"],
    registers,
    collect() {
      this.reset();
      for (const [outcome, count] of Object.entries(messages.counts)) this.inc({ outcome }, count);
    },
  });
}
