// Written by `npm run write:library` from the table of operations. Do not edit.

import type { OperationName, Output } from "../contract/operations.ts";
import type { BelayOperations } from "./operations.ts";

type Bind = <K extends OperationName>(name: K) => (input?: unknown) => Promise<Output<K>>;

export function bindOperations(op: Bind): BelayOperations {
  return {
    sessions: {
      create: op("create"),
      get: op("get"),
      list: op("list"),
      count: op("count"),
      update: op("update"),
      rename: op("rename"),
      pin: op("pin"),
      unpin: op("unpin"),
      suspend: op("suspend"),
      resume: op("resume"),
      shouldResume: op("should_resume"),
      resumePlan: op("resume_plan"),
      finalize: op("finalize"),
      cancel: op("cancel"),
      archive: op("archive"),
      delete: op("delete"),
      undelete: op("undelete"),
      purge: op("purge"),
      setExpiry: op("set_expiry"),
      expiration: op("expiration"),
      setExpiration: op("set_expiration"),
      cleanup: op("cleanup"),
      fork: op("fork"),
      handoff: op("handoff"),
      replay: op("replay"),
      merge: op("merge"),
      compare: op("compare"),
      branches: op("branches"),
      log: op("log"),
      export: op("export"),
      next: op("next"),
    },
    turns: {
      list: op("turns"),
      record: op("record_turn"),
      send: op("send_message"),
      interrupt: op("interrupt"),
    },
    actions: {
      begin: op("begin_action"),
      complete: op("complete_action"),
    },
    checkpoints: {
      save: op("save_checkpoint"),
      list: op("list_checkpoints"),
      show: op("show_checkpoint"),
      restore: op("restore_checkpoint"),
    },
    approvals: {
      request: op("request_approval"),
      list: op("list_approvals"),
      decide: op("decide_approval"),
    },
    outcomes: {
      record: op("record_outcome"),
    },
    artifacts: {
      record: op("record_artifact"),
      list: op("list_artifacts"),
    },
    observations: {
      submit: op("submit_observation"),
      history: op("history"),
    },
    tasks: {
      add: op("add_task"),
      update: op("update_task"),
      list: op("list_tasks"),
    },
    agents: {
      list: op("agents"),
    },
    recovery: {
      run: op("recover"),
      list: op("recoveries"),
      answer: op("answer_recovery"),
    },
    past: {
      timeline: op("timeline"),
      spans: op("spans"),
      audit: op("audit"),
      events: op("events"),
      stats: op("stats"),
    },
    shares: {
      add: op("share"),
      remove: op("unshare"),
      of: op("shares"),
      received: op("shared"),
    },
    links: {
      preview: op("preview_link"),
      add: op("add_link"),
      list: op("list_links"),
      revoke: op("revoke_link"),
    },
    people: {
      add: op("add_person"),
      list: op("list_people"),
      disable: op("disable_person"),
      whoami: op("whoami"),
    },
    tokens: {
      create: op("create_token"),
      list: op("list_tokens"),
      revoke: op("revoke_token"),
    },
    webhooks: {
      add: op("add_webhook"),
      accept: op("accept_webhook"),
      list: op("list_webhooks"),
      remove: op("remove_webhook"),
      test: op("test_webhook"),
      deliveries: op("webhook_deliveries"),
    },
    imports: {
      list: op("imports"),
      run: op("import_conversations"),
    },
  };
}
