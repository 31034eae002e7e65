import type { ReadResourceResult, Resource } from "@modelcontextprotocol/server";
import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
} from "@modelcontextprotocol/server";
import { BelayError, ERRORS } from "../../contract/errors.ts";
import type { BelayService } from "../../service/belay-service.ts";
import type { Caller } from "../../service/service-context.ts";
import { isUnexpected } from "./report-unexpected.ts";

const ROOT = "belay://sessions/";
const NEWEST_TURNS = 10;
const RECENT = 20;
const JSON_TYPE = "application/json";

export const SESSION_TEMPLATE = {
  uriTemplate: `${ROOT}{id}`,
  name: "session",
  title: "A session",
  description: "A session's status and its newest turns",
  mimeType: JSON_TYPE,
} as const;

/** The sessions with the latest activity, a page at a time. */
export async function listResources(
  service: BelayService,
  caller: Caller,
  cursor: string | undefined,
): Promise<{ resources: Resource[]; nextCursor?: string }> {
  const page = { limit: RECENT, ...(cursor !== undefined && { cursor }) };
  const { sessions, next_cursor } = await asProtocol(() => service.call("list", page, caller));
  return {
    resources: sessions.map((session) => ({
      uri: ROOT + session.session_id,
      name: session.session_id,
      title: session.title ?? session.purpose ?? session.session_id,
      description: `${session.agent_name}, ${session.status}, ${session.phase}`,
      mimeType: JSON_TYPE,
      annotations: { lastModified: session.updated_at },
    })),
    ...(next_cursor !== null && { nextCursor: next_cursor }),
  };
}

export async function readResource(
  service: BelayService,
  caller: Caller,
  uri: string,
): Promise<ReadResourceResult> {
  const id = uri.startsWith(ROOT) ? decode(uri.slice(ROOT.length)) : "";
  if (id === "") throw new ResourceNotFoundError(uri);
  const [session, { turns }] = await asProtocol(
    () =>
      Promise.all([
        service.call("get", { id }, caller),
        service.call("turns", { id, limit: NEWEST_TURNS }, caller),
      ]),
    uri,
  );
  const text = JSON.stringify({ session, turns });
  return { contents: [{ uri, mimeType: JSON_TYPE, text }] };
}

/** Resource answers cannot be errors, so a refusal becomes a protocol error. */
async function asProtocol<T>(work: () => Promise<T>, uri?: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof BelayError) || isUnexpected(error)) {
      throw new ProtocolError(ProtocolErrorCode.InternalError, "Unexpected error");
    }
    const { http } = ERRORS[error.code];
    if (uri !== undefined && http === 404) throw new ResourceNotFoundError(uri, error.message);
    const code = http < 500 ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
    throw new ProtocolError(code, error.message, error.toJSON());
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
