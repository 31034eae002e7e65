import type { OperationName } from "../../src/contract/operations.ts";

type Missing = Partial<Record<OperationName, string>>;

const OF_AN_AGENT = "agents tell of what they have produced with submit_agent_session";
const FOR_A_PERSON = "for people: an agent has no say in it";
const ON_THE_WAY = "query_agent_history and read_log tell an agent all of it";

/** What a door does not have, and why. */
export const MISSING = {
  service: {},
  cli: {
    record_outcome: "programs report it; a person ends a session with a summary",
    record_artifact: "programs report it; a person ends a session with a summary",
    submit_observation: "agents report it, through MCP, hooks or REST",
    spans: "for drawing: belay timeline tells it in lines",
    recoveries: "belay recover --dry-run, belay approvals and belay log tell it",
    agents: "belay agents is a command of its own: it also adds, removes and trusts",
    send_message: "belay send also shows the answer",
    handoff: "belay handoff also shows the answer",
    export: "belay export is a command of its own: it also writes Markdown, and files",
    count: "programs show the numbers; belay stats and belay approvals tell a person more",
  },
  rest: {},
  graphql: {},
  mcp: {
    cancel: "finish_session gives up with the outcome abandoned",
    archive: FOR_A_PERSON,
    rename: FOR_A_PERSON,
    pin: FOR_A_PERSON,
    unpin: FOR_A_PERSON,
    delete: FOR_A_PERSON,
    undelete: FOR_A_PERSON,
    turns: ON_THE_WAY,
    list_checkpoints: ON_THE_WAY,
    show_checkpoint: ON_THE_WAY,
    decide_approval: FOR_A_PERSON,
    record_outcome: OF_AN_AGENT,
    record_artifact: OF_AN_AGENT,
    list_artifacts: ON_THE_WAY,
    agents: "an agent does not run others",
    branches: FOR_A_PERSON,
    resume_plan: "should_resume tells an agent what it needs to know",
    send_message: "an agent does not prompt others",
    handoff: "an agent does not prompt others",
    interrupt: FOR_A_PERSON,
    recover: FOR_A_PERSON,
    answer_recovery: FOR_A_PERSON,
    recoveries: FOR_A_PERSON,
    spans: "for drawing: query_entity_timeline tells it in lines",
    next: "list_sessions with active_only tells an agent the same",
    count: "list_sessions and list_approvals tell an agent which, not only how many",
    audit: FOR_A_PERSON,
    events: ON_THE_WAY,
    export: FOR_A_PERSON,
    stats: FOR_A_PERSON,
    cleanup: FOR_A_PERSON,
    add_task: "the backlog is the people's: an agent changes the task that it serves",
    list_tasks: "the backlog is the people's: an agent changes the task that it serves",
    share: FOR_A_PERSON,
    unshare: FOR_A_PERSON,
    shares: FOR_A_PERSON,
    shared: FOR_A_PERSON,
    add_person: FOR_A_PERSON,
    list_people: FOR_A_PERSON,
    disable_person: FOR_A_PERSON,
    create_token: FOR_A_PERSON,
    list_tokens: FOR_A_PERSON,
    revoke_token: FOR_A_PERSON,
    add_webhook: FOR_A_PERSON,
    accept_webhook: FOR_A_PERSON,
    list_webhooks: FOR_A_PERSON,
    remove_webhook: FOR_A_PERSON,
    test_webhook: FOR_A_PERSON,
    webhook_deliveries: FOR_A_PERSON,
  },
} as const satisfies Record<string, Missing>;

export type DoorName = keyof typeof MISSING;
