import { createHash, randomUUID } from "node:crypto";

/** The client: an owner, and the credentials it used. */
interface McpPeer {
  readonly owner: string;
  readonly credentials: string;
}

/**
 * Clients of older protocols send their name once and get a session id for it. The id contains the whole session,
 * signed with owner and credentials: nothing is stored for it here, it survives a restart, and for any other client it
 * does not exist.
 */
export function writeMcpSessionId(client: string, peer: McpPeer): string {
  const nonce = randomUUID();
  return [nonce, Buffer.from(client).toString("base64url"), seal(nonce, client, peer)].join(".");
}

/** The client's name; null for an id that was not issued to this peer. */
export function readMcpSessionId(id: string, peer: McpPeer): string | null {
  const [nonce, encoded, sealed, more] = id.split(".");
  if (!nonce || encoded === undefined || more !== undefined) return null;
  const client = Buffer.from(encoded, "base64url").toString();
  return sealed === seal(nonce, client, peer) ? client : null;
}

function seal(nonce: string, client: string, { owner, credentials }: McpPeer): string {
  const sealed = JSON.stringify([nonce, client, owner, credentials]);
  return createHash("sha256").update(sealed).digest("base64url");
}
