import type { IncomingHttpHeaders } from "node:http";

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
const PLAIN = /^[A-Za-z0-9._:-]{1,64}$/;

/** The caller's trace id; null if there is none. */
export function readTraceId(headers: IncomingHttpHeaders): string | null {
  const { traceparent, "x-trace-id": own } = headers;
  const standard = typeof traceparent === "string" ? TRACEPARENT.exec(traceparent)?.[1] : undefined;
  if (standard !== undefined) return standard;
  return typeof own === "string" && PLAIN.test(own) ? own : null;
}
