import { isRecord } from "../../../contract/is-record.ts";
import { LIMITS } from "../../../contract/limits.ts";
import type { Seen } from "../record-sighting.ts";
import type { HookPlan, Surroundings } from "./hook-plan.ts";
import { NOTHING } from "./hook-plan.ts";
import { BadPayload, nameIn, type Payload, textIn } from "./payload.ts";
import { claudeSessionIn, folderIn, mainAgent, promptIn, saw, subAgent } from "./watched-agent.ts";

/** Plans the work for one of Claude Code's own events. The payload's event name overrides the command's. */
export function planClaudeEvent(name: string, payload: Payload, here: Surroundings): HookPlan {
  const event = payload.hook_event_name ?? name;
  if (!isClaudeEvent(event)) throw new BadPayload(`unknown event ${String(event)}`);
  return CLAUDE_EVENTS[event](payload, here);
}

const CLAUDE_EVENTS = {
  SessionStart: (payload, here) => {
    const agent = mainAgent(payload);
    const { session_id } = agent;
    const goesOn = payload.source === "resume" || payload.source === "compact";
    return {
      sighting: saw(agent, { kind: "opened" }, ["opened"], here),
      notes: goesOn ? { event: "SessionStart", of: { session_id } } : null,
    };
  },

  UserPromptSubmit: (payload, here) => {
    const prompt = textIn(payload, "prompt") ?? "";
    const turn_id = promptIn(payload) ?? here.newId();
    // Claude Code writes this itself when a background sub-agent is done.
    const content = prompt.startsWith("<task-notification>") ? null : prompt;
    return record(payload, { kind: "prompted", turn_id, content }, [turn_id], here);
  },

  PreToolUse: (payload) => {
    const { tool_name, tool_input } = payload;
    if ((tool_name !== "Agent" && tool_name !== "Task") || !isRecord(tool_input)) return NOTHING;
    const agent_name = nameIn(tool_input, "subagent_type", LIMITS.AGENT);
    const cwd = folderIn(payload);
    if (agent_name === null || cwd === null) return NOTHING;
    const claude_session_id = claudeSessionIn(payload);
    const of = { agent_name, cwd, asking: null, claude_session_id };
    return { sighting: null, notes: { event: "PreToolUse", of } };
  },

  SubagentStart: (payload, here) => {
    const agent = subAgent(payload);
    if (!agent?.begin) return NOTHING;
    const { agent_name, cwd } = agent.begin;
    const claude_session_id = claudeSessionIn(payload);
    return {
      sighting: saw(agent, { kind: "delegated" }, [promptIn(payload) ?? ""], here),
      notes: cwd === null ? null : { event: "SubagentStart", of: newestOf(cwd) },
    };

    function newestOf(folder: string) {
      return { agent_name, cwd: folder, asking: agent?.session_id ?? null, claude_session_id };
    }
  },

  SubagentStop: (payload, here) => {
    const agent = subAgent(payload);
    if (!agent) return NOTHING;
    const output = textIn(payload, "last_assistant_message") ?? "";
    const reason = "subagent_stop";
    const seen: Seen = {
      kind: "returned",
      outcome: "completed",
      output,
      summary: null,
      error: null,
      reason,
    };
    return { sighting: saw(agent, seen, [promptIn(payload) ?? "", output], here), notes: null };
  },

  PreCompact: (payload, here) => {
    const trigger = nameIn(payload, "trigger", LIMITS.NAME) ?? "unknown";
    const prompt = promptIn(payload) ?? here.newId();
    return record(payload, { kind: "compacting", trigger }, [prompt, trigger], here);
  },

  Stop: (payload, here) => {
    const turn_id = promptIn(payload);
    const output = textIn(payload, "last_assistant_message") ?? "";
    const key = [turn_id ?? here.newId(), output];
    return record(payload, { kind: "answered", turn_id, output }, key, here);
  },

  SessionEnd: (payload, here) => {
    const reason = nameIn(payload, "reason", LIMITS.NAME) ?? "session_end";
    const key = [promptIn(payload) ?? here.newId(), reason];
    return record(payload, { kind: "left", reason }, key, here);
  },
} as const satisfies Record<string, (payload: Payload, here: Surroundings) => HookPlan>;

type ClaudeEvent = keyof typeof CLAUDE_EVENTS;

function isClaudeEvent(name: unknown): name is ClaudeEvent {
  return typeof name === "string" && Object.hasOwn(CLAUDE_EVENTS, name);
}

function record(
  payload: Payload,
  seen: Seen,
  key: readonly string[],
  here: Surroundings,
): HookPlan {
  return { sighting: saw(mainAgent(payload), seen, key, here), notes: null };
}
