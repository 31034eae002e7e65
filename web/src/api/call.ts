import type { Input, Output } from "../../../src/contract/operations.ts";
import { type Asked, ask, type Query } from "./ask.ts";
import { CALLS, type Called } from "./calls.ts";

/** Calls an operation of the contract. Fields in the path go there, the others into the query or body. */
export function call<K extends Called>(
  name: K,
  input: Input<K> & object,
  signal?: AbortSignal,
): Promise<Output<K>> {
  const [method = "GET", template = "/"] = CALLS[name].split(" ");
  const fields = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const path = template.replaceAll(/:(\w+)/g, (_, field: string) => {
    const value = fields.get(field);
    fields.delete(field);
    return encodeURIComponent(String(value));
  });
  const rest: Query = Object.fromEntries(fields);
  const asked: Asked = method === "GET" ? { query: rest } : fields.size > 0 ? { body: rest } : {};
  return ask(method, path, { ...asked, ...(signal && { signal }) });
}
