import type { TestServer } from "../http/open-server.ts";

export const CALLER = {
  owner: "ann",
  actor: "test",
  interface: "library",
  trace_id: null,
} as const;

/** A session of ann's with an outside agent. */
export async function begin({ service }: TestServer): Promise<string> {
  return (await service.call("create", { agent_name: "elsewhere" }, CALLER)).session_id;
}
