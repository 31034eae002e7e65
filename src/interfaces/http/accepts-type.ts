import type { IncomingHttpHeaders } from "node:http";

/** Whether a request asks for this type by its name. */
export function acceptsType(headers: IncomingHttpHeaders, type: string): boolean {
  const types = (headers.accept ?? "").split(",").map((each) => each.split(";")[0]?.trim());
  return types.includes(type);
}
