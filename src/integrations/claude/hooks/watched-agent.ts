import { hash } from "node:crypto";
import { isSessionId } from "../../../contract/id-pattern.ts";
import { LIMITS } from "../../../contract/limits.ts";
import type { Seen, Sighting } from "../record-sighting.ts";
import type { Surroundings } from "./hook-plan.ts";
import { BadPayload, nameIn, type Payload, textIn } from "./payload.ts";

/** An agent in a payload, and the data to create its session if this is its first event. */
type WatchedAgent = Pick<Sighting, "session_id" | "begin" | "trace_id">;

/** The agent that a person talks to: its session has Claude Code's own id. */
export function mainAgent(payload: Payload): WatchedAgent {
  const id = textIn(payload, "session_id");
  if (!id) throw new BadPayload("the payload has no session_id");
  return {
    session_id: sessionIdFor(id),
    trace_id: promptIn(payload),
    begin: {
      agent_name: "claude-code",
      cwd: folderIn(payload),
      metadata: {},
      supports_resume: true,
    },
  };
}

/**
 * Null if the payload names none. A sub-agent without a type is never created, because its stop may come without a
 * start.
 */
export function subAgent(payload: Payload): WatchedAgent | null {
  const id = textIn(payload, "agent_id");
  if (!id) return null;
  const agent_name = nameIn(payload, "agent_type", LIMITS.AGENT);
  const claude_session_id = claudeSessionIn(payload);
  return {
    session_id: sessionIdFor(id),
    trace_id: promptIn(payload),
    begin:
      agent_name === null
        ? null
        : {
            agent_name,
            cwd: folderIn(payload),
            metadata: claude_session_id === null ? {} : { claude_session_id },
            supports_resume: false,
          },
  };
}

/** The key is derived from the sighting, so that a repeated report is recognized. */
export function saw(
  agent: WatchedAgent,
  seen: Seen,
  key: readonly string[],
  here: Surroundings,
): Sighting {
  return {
    ...agent,
    key: `${seen.kind}:${digest(JSON.stringify([agent.session_id, ...key]))}`,
    at: here.now(),
    actor: "hook:claude-code",
    seen,
  };
}

export function claudeSessionIn(payload: Payload): string | null {
  const id = textIn(payload, "session_id");
  return id ? sessionIdFor(id) : null;
}

/** The prompt that everything until the next one belongs to; shorter than an item's id, which may append a number. */
export function promptIn(payload: Payload): string | null {
  const id = textIn(payload, "prompt_id");
  if (!id) return null;
  return id.length <= LIMITS.ITEM_ID - 4 && /^[A-Za-z0-9][A-Za-z0-9._:-]*$/.test(id)
    ? id
    : digest(id).slice(0, 32);
}

/** Only stored as a text. */
export function folderIn(payload: Payload): string | null {
  return nameIn(payload, "cwd", LIMITS.PROJECT - PROJECT_FRAME);
}

/** The bytes that JSON adds to the folder of a project. */
const PROJECT_FRAME = 48;

/** An id that is not a valid session id is replaced by its digest. */
function sessionIdFor(id: string): string {
  return isSessionId(id) ? id : `agent-${digest(id).slice(0, 32)}`;
}

function digest(text: string): string {
  return hash("sha256", text, "base64url").replaceAll("_", ".");
}
