import type { OperationName } from "../../contract/operations.ts";

/** One group of the library's methods, such as `belay.sessions`. */
export interface MethodGroup {
  /** The singular name of an item: the prefix of the group's types. */
  readonly noun: string;
  readonly doc: string;
  /** Method name -> operation. */
  readonly methods: Readonly<Record<string, OperationName>>;
}

/** Every operation under its name in the library. */
export const METHODS = {
  sessions: {
    noun: "Session",
    doc: "Sessions: each is a durable piece of work of one agent.",
    methods: {
      create: "create",
      get: "get",
      list: "list",
      count: "count",
      update: "update",
      rename: "rename",
      pin: "pin",
      unpin: "unpin",
      suspend: "suspend",
      resume: "resume",
      shouldResume: "should_resume",
      resumePlan: "resume_plan",
      finalize: "finalize",
      cancel: "cancel",
      archive: "archive",
      delete: "delete",
      undelete: "undelete",
      purge: "purge",
      setExpiry: "set_expiry",
      expiration: "expiration",
      setExpiration: "set_expiration",
      cleanup: "cleanup",
      fork: "fork",
      handoff: "handoff",
      replay: "replay",
      merge: "merge",
      compare: "compare",
      branches: "branches",
      log: "log",
      export: "export",
      next: "next",
    },
  },
  turns: {
    noun: "Turn",
    doc: "Turns: each is a prompt and everything the agent did to answer it.",
    methods: {
      list: "turns",
      record: "record_turn",
      send: "send_message",
      interrupt: "interrupt",
    },
  },
  actions: {
    noun: "Action",
    doc: "Actions: the intent is stored before the work starts, the result after it.",
    methods: { begin: "begin_action", complete: "complete_action" },
  },
  checkpoints: {
    noun: "Checkpoint",
    doc: "Checkpoints: named, saved states of a session.",
    methods: {
      save: "save_checkpoint",
      list: "list_checkpoints",
      show: "show_checkpoint",
      restore: "restore_checkpoint",
    },
  },
  approvals: {
    noun: "Approval",
    doc: "Approvals: durable requests to a person, with one answer each.",
    methods: { request: "request_approval", list: "list_approvals", decide: "decide_approval" },
  },
  outcomes: {
    noun: "Outcome",
    doc: "Outcomes that a session has led to.",
    methods: { record: "record_outcome" },
  },
  artifacts: {
    noun: "Artifact",
    doc: "Artifacts that a session has produced.",
    methods: { record: "record_artifact", list: "list_artifacts" },
  },
  observations: {
    noun: "Observation",
    doc: "Observations: reports of an agent that Belay does not run about its own session.",
    methods: { submit: "submit_observation", history: "history" },
  },
  tasks: {
    noun: "Task",
    doc: "Tasks: the work that sessions belong to.",
    methods: { add: "add_task", update: "update_task", list: "list_tasks" },
  },
  agents: {
    noun: "Agent",
    doc: "Agents that can be run on this machine.",
    methods: { list: "agents" },
  },
  recovery: {
    noun: "Recovery",
    doc: "Recovery: continuing safely after a crash.",
    methods: { run: "recover", list: "recoveries", answer: "answer_recovery" },
  },
  past: {
    noun: "Past",
    doc: "The past: timelines, the audit trail, all events as one feed, statistics.",
    methods: {
      timeline: "timeline",
      spans: "spans",
      audit: "audit",
      events: "events",
      stats: "stats",
    },
  },
  shares: {
    noun: "Share",
    doc: "Sessions that are shared with other people.",
    methods: { add: "share", remove: "unshare", of: "shares", received: "shared" },
  },
  links: {
    noun: "PublicLink",
    doc: "Public links: pages without login that show a session, redacted.",
    methods: {
      preview: "preview_link",
      add: "add_link",
      list: "list_links",
      revoke: "revoke_link",
    },
  },
  people: {
    noun: "Person",
    doc: "People of this server.",
    methods: {
      add: "add_person",
      list: "list_people",
      disable: "disable_person",
      whoami: "whoami",
    },
  },
  tokens: {
    noun: "Token",
    doc: "Tokens: access for programs over HTTP.",
    methods: { create: "create_token", list: "list_tokens", revoke: "revoke_token" },
  },
  webhooks: {
    noun: "Webhook",
    doc: "Webhooks: endpoints that Belay calls, and endpoints that others call.",
    methods: {
      add: "add_webhook",
      accept: "accept_webhook",
      list: "list_webhooks",
      remove: "remove_webhook",
      test: "test_webhook",
      deliveries: "webhook_deliveries",
    },
  },
  imports: {
    noun: "Import",
    doc: "Imports: conversations of other tools on this machine, as sessions.",
    methods: { list: "imports", run: "import_conversations" },
  },
} as const satisfies Readonly<Record<string, MethodGroup>>;
