import type { AgentQuirks } from "../agent-connection.ts";

const PLAIN: AgentQuirks = {
  reopen_in_next_minute: false,
  silent_end_is_failure: false,
  failure_text: null,
  usage_is_total: false,
  usage_in_updates: false,
  // Short, because every reopening waits for it; an agent that nobody has watched may still replay late.
  replay_settles_ms: 100,
};

/** What each agent does differently from what the protocol lets one expect. `plain` is for all that are not named. */
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
    // When its model cannot be reached it says end_turn all the same.
    silent_end_is_failure: true,
    // Or it says one of these first.
    failure_text:
      /currently experiencing high demand|stream disconnected before completion|exceeded retry limit|unexpected status \d/i,
  },
  opencode: PLAIN,
  copilot: {
    ...PLAIN,
    failure_text: /Failed to get response from the AI model/,
    usage_is_total: true,
  },
  // A fork of gemini that names its sessions by id, so it needs no other minute; its replay may be as late.
  qwen: { ...PLAIN, usage_in_updates: true, replay_settles_ms: 500 },
  // Some of its directives make a turn without a word, so silence says nothing.
  demo: PLAIN,
} as const satisfies Record<string, AgentQuirks>;
