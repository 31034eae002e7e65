import type { Server, ServerContext } from "@modelcontextprotocol/server";
import { CLIENT_INFO_META_KEY } from "@modelcontextprotocol/server";
import { z } from "zod";
import { isReservedActor } from "../../contract/reserved-actor.ts";
import { visibleLine } from "../../contract/visible-text.ts";

const Envelope = z.looseObject({ [CLIENT_INFO_META_KEY]: z.looseObject({ name: z.string() }) });
const LONGEST = 64;

/** The name of the client: in each request of newer protocols, once per connection in older ones. */
export function clientName(server: Server, { mcpReq }: ServerContext): string | null {
  const envelope = Envelope.safeParse(mcpReq.envelope);
  const name = envelope.success
    ? envelope.data[CLIENT_INFO_META_KEY].name
    : server.getClientVersion()?.name;
  return plainName(name);
}

/** One short line without a colon, because the log marks people and tokens with one; null if nothing is left. */
export function plainName(name: string | undefined): string | null {
  const plain = visibleLine((name ?? "").slice(0, 2 * LONGEST)).replaceAll(":", "-");
  const short = Array.from(plain).slice(0, LONGEST).join("").trim() || null;
  return short !== null && isReservedActor(short) ? `mcp-${short}` : short;
}
