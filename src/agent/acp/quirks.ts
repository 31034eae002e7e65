import type { AgentQuirks } from "../agent-connection.ts";

const PLAIN: AgentQuirks = {
  reopen_in_next_minute: false,
  silent_end_is_failure: false,
  failure_text: null,
  usage_is_total: false,
  usage_in_updates: false,
  // Short, because every reopening waits for it; an untested agent may still replay late.
  replay_settles_ms: 100,
};

/** The differences of each agent from the protocol. `plain` applies to all that are not named. */
export const QUIRKS = {
  plain: PLAIN,
  gemini: {
    ...PLAIN,
    // Its session files are named by the minute. A load in the same minute fails and overwrites the history.
    reopen_in_next_minute: true,
    // It answers the load first and sends most of the replay afterwards.
    replay_settles_ms: 500,
  },
  claude: PLAIN,
  codex: {
    ...PLAIN,
    // If its model is unreachable, it still reports end_turn.
    silent_end_is_failure: true,
    // Or it prints one of these texts first.
    failure_text:
      /currently experiencing high demand|stream disconnected before completion|exceeded retry limit|unexpected status \d/i,
  },
  opencode: PLAIN,
  copilot: {
    ...PLAIN,
    failure_text: /Failed to get response from the AI model/,
    usage_is_total: true,
  },
  // A fork of gemini that names its sessions by id, so it does not need to wait for the next minute; its replay may be
  // as late.
  qwen: { ...PLAIN, usage_in_updates: true, replay_settles_ms: 500 },
  // Some of its directives end a turn without text, so silence is not a failure.
  demo: PLAIN,
} as const satisfies Record<string, AgentQuirks>;
