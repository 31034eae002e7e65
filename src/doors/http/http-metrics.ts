import { collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

export interface HttpMetrics {
  /** Records a finished request. */
  observe(method: string, route: string, status: number, ms: number): void;
  /** The metrics in Prometheus format. */
  text(): Promise<string>;
}

/** The metrics of this interface, together with those in `others`. Routes are patterns, so their number is fixed. */
export function createMetrics(
  others: Registry | undefined,
  openStreams: () => number,
): HttpMetrics {
  const registry = new Registry();
  const registers = [registry];
  const labelNames = ["method", "route", "status"] as const;
  const durations = new Histogram({
    name: "belay_http_request_duration_seconds",
    help: "Time from a request's headers to the end of its response",
    labelNames,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30],
    registers,
  });
  new Gauge({
    name: "belay_http_open_streams",
    help: "Live streams that are open now",
    registers,
    collect() {
      this.set(openStreams());
    },
  });
  return {
    observe(method, route, status, ms) {
      durations.observe({ method, route, status: `${Math.floor(status / 100)}xx` }, ms / 1000);
    },
    text: () => Registry.merge([processMetrics(), registry, ...(others ? [others] : [])]).metrics(),
  };
}

let ofProcess: Registry | undefined;

/** The process metrics are collected once, however many servers the process has. */
function processMetrics(): Registry {
  if (!ofProcess) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess });
  }
  return ofProcess;
}
