import type { IncomingHttpHeaders } from "node:http";

/** True if a request explicitly accepts this type. */
export function acceptsType(headers: IncomingHttpHeaders, type: string): boolean {
  const types = (headers.accept ?? "").split(",").map((each) => each.split(";")[0]?.trim());
  return types.includes(type);
}
