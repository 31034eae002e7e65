import type { SessionEvent } from "../../../../src/contract/events.ts";
import { counted } from "../../../../src/contract/import/describe-import.ts";
import {
  FINAL_PHASES,
  type OpenWay,
  type Phase,
  type RecoveryStatus,
  type SuspendReason,
} from "../../../../src/contract/vocabulary.ts";
import { DIED } from "../../../../src/core/session/evolve-session.ts";
import type { EventOf, Mark } from "./entry.ts";
import { nameDoor, whoDid } from "./name-door.ts";

type MarkDescription = Pick<Mark, "tone" | "text" | "more" | "link">;

/** An event of the session itself in one line; null if it is shown elsewhere or not interesting. */
export function describeMark(event: SessionEvent): MarkDescription | null {
  const by = whoDid(event.actor, event.interface);
  switch (event.type) {
    case "session.created":
      return plain(`Session started, ${by}`, `agent ${event.data.agent_name}`);
    case "session.forked": {
      const { session_id, seq } = event.data.parent;
      const told = plain(`Forked from ${session_id} at event ${seq}, ${by}`);
      return { ...told, link: session_id };
    }
    case "session.merged": {
      const { from, turns, summary } = event.data;
      const told = plain(
        `Merged from ${from.session_id} (${counted(turns, "turn")}), ${by}`,
        summary,
      );
      return { ...told, link: from.session_id };
    }
    case "session.handed_off":
      return plain(`Handed from ${event.data.from} to ${event.data.to}, ${by}`);
    case "session.renamed":
      return plain(`Renamed to “${event.data.title}”, ${by}`);
    case "session.pinned":
      return plain(`Pinned, ${by}`);
    case "session.unpinned":
      return plain(`Unpinned, ${by}`);
    case "session.shared": {
      const { person, role, until } = event.data;
      const more = until === null ? null : `until ${new Date(until).toLocaleString()}`;
      return plain(`Shared with ${person ?? "everyone"} as ${role}, ${by}`, more);
    }
    case "session.unshared":
      return plain(`No longer shared with ${event.data.person ?? "everyone"}, ${by}`);
    case "session.suspended": {
      const { reason, until } = event.data;
      const more = until === undefined ? null : `until ${new Date(until).toLocaleString()}`;
      return { ...plain(`Suspended: ${SUSPENDED.get(reason) ?? reason}`, more), tone: "warn" };
    }
    case "session.resumed":
      return plain(`Resumed from ${nameDoor(event.data.interface)}`);
    case "session.continued":
      return plain(`Continued from ${nameDoor(event.data.interface)}: a new run starts`);
    case "session.completed":
      return { ...plain(`Completed, ${by}`, event.data.summary), tone: "good" };
    case "session.failed":
      return { ...plain("Failed", event.data.error ?? event.data.summary), tone: "bad" };
    case "session.cancelled":
      return { ...plain(`Cancelled, ${by}`, event.data.summary), tone: "bad" };
    case "session.archived":
      return plain(`Archived, ${by}`);
    case "session.deleted": {
      const { reason } = event.data;
      const more = reason === "user_requested" ? null : reason;
      return { ...plain(`Moved to the trash, ${by}`, more), tone: "warn" };
    }
    case "session.undeleted":
      return plain(`Restored from the trash, ${by}`);
    case "phase.changed":
      return isToldElsewhere(event) ? null : plain(`Phase: ${event.data.to}`);
    case "error.recorded":
      return { ...plain("An error was recorded", event.data.error), tone: "bad" };
    case "interrupt.requested":
      return { ...plain(`Interrupt requested, ${by}`), tone: "warn" };
    case "agent.started":
      return plain(OPENED[event.data.way], `pid ${event.data.process.pid}`);
    case "agent.stopped": {
      const { reason } = event.data;
      if (reason === DIED) return { ...plain("The agent’s process died"), tone: "bad" };
      return plain(`Agent stopped: ${reason}`);
    }
    case "session.imported":
      return plain(`Imported from ${event.data.source}`, event.data.conversation_id);
    case "session.recovered":
      return { ...plain(RECOVERED[event.data.status], event.data.next_step), tone: "warn" };
    case "checkpoint.saved":
      return plain(`Checkpoint saved: ${event.data.name}`);
    case "checkpoint.restored": {
      const { name, undo } = event.data;
      const what = undo === undefined ? "conversation only" : "with its files";
      return { ...plain(`Checkpoint restored, ${what}: ${name}`, by), tone: "warn" };
    }
    case "observation.submitted":
      return plain(
        "The agent reported on its session",
        event.data.actions.map(({ type, result }) => `${type}: ${result}`).join("\n") || null,
      );
    case "outcome.recorded":
      return plain(`Outcome: ${event.data.type}`, event.data.id);
    case "artifact.recorded":
      return isFile(event.data.uri)
        ? plain(`File added: ${event.data.name}, ${by}`)
        : plain(`Artifact: ${event.data.name}`, event.data.uri);
    default:
      return null;
  }
}

/** True if the artifact is stored with the session. */
function isFile(uri: string | null): boolean {
  return uri?.startsWith("blob:") === true;
}

/** Phases of a working agent, of questions and of an end are visible from other rows. */
function isToldElsewhere({ actor, data: { from, to } }: EventOf<"phase.changed">): boolean {
  const isOurs = actor.startsWith("agent:") || actor === "recovery";
  return isOurs || from === "approval" || to === "approval" || FINAL.has(to);
}
const FINAL: ReadonlySet<Phase> = new Set(FINAL_PHASES);

function plain(text: string, more: string | null = null): MarkDescription {
  return { tone: "plain", text, more: more === "" ? null : more, link: null };
}

const SUSPENDED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    user_requested: "requested by a user",
    api_requested: "requested through the API",
    approval: "waiting for an answer",
    shutdown: "the process that ran it shut down",
    pipeline_suspended: "its pipeline was suspended",
  } as const satisfies Record<SuspendReason, string>),
);

const OPENED = {
  new: "Agent started",
  resume: "Agent started and resumed its own session",
  load: "Agent started and loaded its own session",
  replay: "Agent started with a summary of the conversation",
} as const satisfies Record<OpenWay, string>;

const RECOVERED = {
  ok: "Recovered after a crash: no decision needed",
  "manual-review": "Recovered after a crash, with a question for you",
  "required-rollback": "Recovered after a crash: rolled back",
} as const satisfies Record<RecoveryStatus, string>;
