import type { SessionCommand } from "../../contract/commands.ts";
import type { SessionHead } from "../../contract/head.ts";
import { LIMITS } from "../../contract/limits.ts";
import { RESUMABLE } from "../resume/should-resume.ts";
import { titleOf } from "../session/title-of.ts";
import { cutText } from "../text-size.ts";

/** A hook's report about an agent that Belay watches but does not run. */
export interface Sighting {
  /** Identifies the sighting, so that a repeated report is recognized. */
  readonly key: string;
  readonly at: number;
  readonly actor: string;
  readonly trace_id: string | null;
  readonly session_id: string;
  /**
   * The token with scope `record` that reported it. The sighting only counts for sessions of that
   * token.
   */
  readonly recorder?: string | undefined;
  /**
   * The data for creating the session if it does not exist; null ignores sightings of unknown
   * sessions.
   */
  readonly begin: Beginning | null;
  readonly seen: Seen;
}

export interface Beginning {
  readonly agent_name: string;
  readonly cwd: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly supports_resume: boolean;
}

export type Seen =
  | { readonly kind: "opened" }
  /**
   * Null content means that no person wrote: the agent was only notified that something it waited
   * for is done.
   */
  | { readonly kind: "prompted"; readonly turn_id: string; readonly content: string | null }
  | { readonly kind: "answered"; readonly turn_id: string | null; readonly output: string }
  | { readonly kind: "delegated" }
  | {
      readonly kind: "returned";
      readonly outcome: "completed" | "failed";
      readonly output: string;
      readonly summary: string | null;
      readonly error: string | null;
      readonly reason: string;
    }
  | { readonly kind: "compacting"; readonly trigger: string }
  | { readonly kind: "left"; readonly reason: string };

/** The values that the caller provides. Ids are the same each time a sighting is reported. */
interface SightingContext {
  readonly owner: string;
  readonly entity_id: string;
  /** The id for the turn or checkpoint that the sighting adds, if it has none of its own. */
  readonly item_id: string;
  /** Ids of the newest turns of the session. */
  readonly turns: readonly string[];
  /** The state of the conversation, for a checkpoint. */
  readonly state: Readonly<Record<string, unknown>>;
}

/**
 * The commands that a sighting means for its session. Sightings may be missing, repeated or late:
 * each is decided on the current head, no turn starts twice, and a text that comes too late for its
 * turn is stored next to it.
 */
export function commandsOf(
  sighting: Sighting,
  head: SessionHead | null,
  context: SightingContext,
): readonly SessionCommand[] {
  const { seen, begin } = sighting;
  if (!head) {
    if (!begin) return [];
    return [createFor(sighting, begin, context), ...react(seen, NEWBORN, context)];
  }
  if (head.deleted) return [];
  switch (head.status) {
    case "created":
    case "active":
    case "suspended":
      return react(seen, head, context);
    case "completed":
      return afterItsEnd(seen, context);
    case "failed":
    case "cancelled":
    case "archived":
      return [];
    default:
      return head.status satisfies never;
  }
}

type Standing = Pick<SessionHead, "status" | "phase" | "turn" | "title">;
type SeenAs<K extends Seen["kind"]> = Extract<Seen, { kind: K }>;

const NEWBORN: Standing = { status: "created", phase: "initializing", turn: null, title: null };

function createFor(
  { session_id }: Sighting,
  { agent_name, cwd, metadata, supports_resume }: Beginning,
  { owner, entity_id }: SightingContext,
): SessionCommand {
  return {
    type: "create",
    session_id,
    entity_id,
    owner,
    agent_name,
    interface: "hook",
    purpose: null,
    title: null,
    project: cwd === null ? null : { cwd, repo: null, branch: null },
    task_id: entity_id,
    metadata: { ...metadata },
    supports_resume,
    observed: false,
  };
}

function react(seen: Seen, standing: Standing, context: SightingContext): SessionCommand[] {
  switch (seen.kind) {
    case "opened":
      return [];
    case "prompted":
      return onPrompt(seen, standing, context);
    case "answered":
      return onAnswer(seen, standing, context);
    case "delegated":
      return [investigate];
    case "returned":
      return onReturn(seen, standing, context);
    case "compacting":
      return [
        {
          type: "save_checkpoint",
          checkpoint_id: context.item_id,
          name: `compact-${context.item_id}`,
          state: { ...context.state },
        },
      ];
    case "left":
      return [
        ...interruptOpen(standing),
        { type: "note_agent_stopped", reason: seen.reason },
        // A suspended session stays suspended, because the person who paused it wants to come back.
        ...(standing.status === "suspended" ? [] : [completed]),
      ];
    default:
      return seen satisfies never;
  }
}

const completed: SessionCommand = {
  type: "finalize",
  outcome: "completed",
  summary: null,
  error: null,
};

/** Setting this phase also wakes a suspended session, because its agent works again. */
const investigate: SessionCommand = { type: "set_phase", phase: "investigating", summary: null };

function onPrompt(
  { turn_id, content }: SeenAs<"prompted">,
  standing: Standing,
  { turns }: SightingContext,
): SessionCommand[] {
  if (content === null) return standing.turn?.id === turn_id ? [] : interruptOpen(standing);
  if (turns.includes(turn_id)) return [late({ turn_id, prompt: content })];
  const title = titleOf(content);
  return [
    ...interruptOpen(standing),
    ...(standing.title === null && title !== "" ? [{ type: "rename", title } as const] : []),
    ...(standing.phase === "investigating" && standing.status === "active" ? [] : [investigate]),
    { type: "start_turn", turn_id, content },
  ];
}

/**
 * A person's message to a completed session starts its next run. A late answer is stored as a late
 * answer.
 */
function afterItsEnd(seen: Seen, { turns }: SightingContext): SessionCommand[] {
  if (seen.kind === "answered" && seen.output !== "") {
    return [late({ turn_id: seen.turn_id, output: seen.output })];
  }
  if (seen.kind !== "prompted" || seen.content === null) return [];
  const { turn_id, content } = seen;
  if (turns.includes(turn_id)) return [late({ turn_id, prompt: content })];
  return [
    { type: "send_message", turn_id, content, interface: "hook" },
    investigate,
    { type: "start_turn", turn_id, content: null },
  ];
}

function onAnswer(
  { turn_id, output }: SeenAs<"answered">,
  standing: Standing,
  { turns, item_id }: SightingContext,
): SessionCommand[] {
  const { turn, status } = standing;
  if (turn && (turn_id === null || turn.id === turn_id)) {
    return [...endTurn(turn.id, output), ...settlePhase(standing)];
  }
  if (output === "") return [];
  // A late answer must not end another turn or a pause.
  if (turn || status === "suspended") return [late({ turn_id, output })];
  const fresh = freshTurnId(turn_id ?? item_id, turns);
  return [
    ...settlePhase(standing),
    { type: "start_turn", turn_id: fresh, content: null },
    ...endTurn(fresh, output),
  ];
}

function onReturn(
  { outcome, output, summary, error, reason }: SeenAs<"returned">,
  standing: Standing,
  { item_id }: SightingContext,
): SessionCommand[] {
  const begun: SessionCommand[] = standing === NEWBORN ? [investigate] : [];
  const phase = standing === NEWBORN ? "investigating" : standing.phase;
  return [...begun, ...findings(), end()];

  function findings(): SessionCommand[] {
    if (output === "") return [];
    // A recorded turn would wake the session although its agent has just stopped.
    if (standing.status === "suspended") return [late({ turn_id: null, output })];
    return [{ type: "record_turn", turn_id: item_id, input: "", output, usage: null }];
  }

  function end(): SessionCommand {
    if (RESUMABLE[phase]) return { type: "note_agent_stopped", reason };
    const said = summary ?? (output === "" ? null : cutText(output, LIMITS.SUMMARY));
    return { type: "finalize", outcome, summary: said, error };
  }
}

function endTurn(turn_id: string, output: string): SessionCommand[] {
  return [
    ...(output === ""
      ? []
      : [
          {
            type: "append_part",
            turn_id,
            item: 0,
            kind: "message",
            offset: 0,
            text: output,
          } as const,
        ]),
    { type: "end_turn", turn_id, outcome: "completed", error: null, usage: null },
  ];
}

function interruptOpen({ turn }: Standing): SessionCommand[] {
  if (!turn) return [];
  return [{ type: "end_turn", turn_id: turn.id, outcome: "interrupted", error: null, usage: null }];
}

/**
 * At the end of a turn nothing is starting or executing any more; a plan or a question may remain.
 */
function settlePhase({ phase, status }: Standing): SessionCommand[] {
  return RESUMABLE[phase] || status === "suspended" ? [] : [investigate];
}

/**
 * An agent may answer one prompt several times. Each answer after the first becomes a turn of its
 * own.
 */
function freshTurnId(turn_id: string, turns: readonly string[]): string {
  if (!turns.includes(turn_id)) return turn_id;
  const taken = turns.filter((id) => id.startsWith(`${turn_id}.`)).length;
  return `${turn_id}.${taken + 2}`;
}

function late(what: {
  readonly turn_id: string | null;
  readonly prompt?: string;
  readonly output?: string;
}): SessionCommand {
  return { type: "annotate", metadata: { late: what } };
}
