import { resolve } from "node:path";
import { composeAgents } from "./compose-agents.ts";
import { BelayError, refuse } from "./contract/errors.ts";
import type { AgentStep, RunInput } from "./contract/library-input.ts";
import { BelayOptions, FollowInput } from "./contract/library-input.ts";
import type { Input, OperationName, Output } from "./contract/operations.ts";
import type { RunEvent } from "./contract/run-event.ts";
import type { LogEvent } from "./contract/session.ts";
import { checkProcess } from "./process/process-identity.ts";
import { createService } from "./service/belay-service.ts";
import { createContext } from "./service/create-context.ts";
import { followLog } from "./service/follow-events.ts";
import { defaultOwner, homeFolder } from "./service/home-folder.ts";
import type { Maintenance } from "./service/maintenance.ts";
import { createMaintenance } from "./service/maintenance.ts";
import { newId } from "./service/new-id.ts";
import { parseObject } from "./service/parse-input.ts";
import { refuseOtherStores } from "./service/refuse-other-stores.ts";
import type { AgentStepOutput } from "./service/run/run-agent-step.ts";
import { SessionSuspended } from "./service/run/run-agent-step.ts";

export type { AgentStep, BelayOptions, RunInput } from "./contract/library-input.ts";
export type { RunEvent } from "./contract/run-event.ts";
export type { Approval, Checkpoint, LogEvent, Session, Task, Turn } from "./contract/session.ts";
export { BelayError, SessionSuspended };

/** The operations of the service as methods, in one owner's name. */
export type Belay = {
  readonly [K in OperationName]: (input: Input<K>) => Promise<Output<K>>;
} & {
  /** A session's events from after `seq` on, as they come, whichever process writes them. */
  follow(id: string, seq: number, signal: AbortSignal): AsyncGenerator<LogEvent>;
  /**
   * Sends a message to an agent, in a new session or an existing one, and tells what happens until its turn is over.
   * Leaving the loop earlier interrupts the turn.
   */
  run(input: RunInput): AsyncGenerator<RunEvent>;
  /** A step of a pipeline that an agent does. Throws `SessionSuspended` where it waits for people. */
  runAgentStep(step: AgentStep): Promise<AgentStepOutput>;
  /** For a process that is told to end: suspends every session that it drives, in one transaction, and ends the agents. */
  suspendAll(): Promise<void>;
  readonly maintenance: Maintenance;
  close(): Promise<void>;
};

/** Opens the embedded database. Everything an awaited call has answered is on disk. */
export async function openBelay(given: BelayOptions = {}): Promise<Belay> {
  const options = parseObject(BelayOptions, given);
  const folder = options.home === undefined ? homeFolder() : resolve(options.home);
  refuseOldNode();
  refuseOtherStores(process.env);
  const { openSqliteStore } = await import("./store/sqlite/open-sqlite-store.ts");
  const store = await openSqliteStore({
    folder,
    isAlive: checkProcess,
    onNotice: (text) => process.emitWarning(text),
  });
  const caller = {
    owner: options.owner ?? defaultOwner(),
    actor: options.actor ?? "library",
    interface: options.interface ?? "library",
    trace_id: options.trace_id ?? newId(),
  } as const;
  const runner = composeAgents(folder, createContext(store), caller.interface, caller.owner);
  const { context } = runner;
  const service = createService(context);
  const op =
    <K extends OperationName>(name: K) =>
    (input: Input<K>): Promise<Output<K>> =>
      service.call(name, input, caller);
  return {
    create: op("create"),
    get: op("get"),
    update: op("update"),
    list: op("list"),
    count: op("count"),
    should_resume: op("should_resume"),
    finalize: op("finalize"),
    suspend: op("suspend"),
    resume: op("resume"),
    cancel: op("cancel"),
    archive: op("archive"),
    rename: op("rename"),
    pin: op("pin"),
    unpin: op("unpin"),
    delete: op("delete"),
    undelete: op("undelete"),
    fork: op("fork"),
    agents: op("agents"),
    resume_plan: op("resume_plan"),
    send_message: op("send_message"),
    interrupt: op("interrupt"),
    recover: op("recover"),
    recoveries: op("recoveries"),
    answer_recovery: op("answer_recovery"),
    log: op("log"),
    turns: op("turns"),
    record_turn: op("record_turn"),
    begin_action: op("begin_action"),
    complete_action: op("complete_action"),
    save_checkpoint: op("save_checkpoint"),
    list_checkpoints: op("list_checkpoints"),
    show_checkpoint: op("show_checkpoint"),
    restore_checkpoint: op("restore_checkpoint"),
    request_approval: op("request_approval"),
    list_approvals: op("list_approvals"),
    decide_approval: op("decide_approval"),
    record_outcome: op("record_outcome"),
    record_artifact: op("record_artifact"),
    submit_observation: op("submit_observation"),
    next: op("next"),
    timeline: op("timeline"),
    spans: op("spans"),
    history: op("history"),
    audit: op("audit"),
    events: op("events"),
    stats: op("stats"),
    cleanup: op("cleanup"),
    add_task: op("add_task"),
    update_task: op("update_task"),
    list_tasks: op("list_tasks"),
    create_token: op("create_token"),
    list_tokens: op("list_tokens"),
    revoke_token: op("revoke_token"),
    add_webhook: op("add_webhook"),
    accept_webhook: op("accept_webhook"),
    list_webhooks: op("list_webhooks"),
    remove_webhook: op("remove_webhook"),
    test_webhook: op("test_webhook"),
    webhook_deliveries: op("webhook_deliveries"),
    async *follow(id, seq, signal) {
      const from = parseObject(FollowInput, { id, seq });
      yield* followLog(context, caller.owner, from.id, from.seq, signal);
    },
    run: (input) => runner.run(caller, input),
    runAgentStep: (step) => runner.runStep(caller, step),
    suspendAll: () => runner.suspendAll(caller, "shutdown"),
    maintenance: createMaintenance(store),
    async close() {
      await runner.close();
      await store.close();
    },
  };
}

/** Older ones fail on loading SQLite with a message that helps nobody. */
function refuseOldNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 24 || (major === 24 && minor >= 15)) return;
  const message = `the library needs Node 24.15 or newer, this is ${process.version}; the Node that comes along runs a script with: npx node SCRIPT`;
  throw new BelayError(refuse("storage_unsupported", message, { node: process.version }));
}
