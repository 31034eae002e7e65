import { z } from "zod";
import type { ErrorCode } from "../../src/contract/errors.ts";
import type { OperationName, Output } from "../../src/contract/operations.ts";
import { OPERATIONS } from "../../src/contract/operations.ts";
import type { Scope } from "../../src/contract/vocabulary.ts";
import { SCOPES } from "../../src/contract/vocabulary.ts";
import type { TestServer } from "./open-server.ts";

/** Part of every text of ann's, so that every leak is noticed. */
export const MARK = "zebrafish";

/** The callers and the scopes of their tokens. */
export const CALLERS = {
  nobody: null,
  revoked: null,
  reader: "read",
  recorder: "record",
  other: "write",
  otherAdmin: "admin",
  owner: "write",
  admin: "admin",
} as const satisfies Readonly<Record<string, Scope | null>>;
export type CallerName = keyof typeof CALLERS;

export function mayDo(caller: CallerName, operation: OperationName): boolean {
  const needed = OPERATIONS[operation].scope;
  const has = CALLERS[caller];
  return has !== null && SCOPES.indexOf(has) >= SCOPES.indexOf(needed);
}

/** The things that an input may name: ann's, or ones that never existed. */
export interface Things {
  readonly session: string;
  readonly entity: string;
  readonly task: string;
  /** Another task, because starting a session for a missing task creates it. */
  readonly served: string;
  readonly checkpoint: string;
  readonly action: string;
  readonly approval: string;
  readonly token: string;
  readonly person: string;
  readonly webhook: string;
  readonly accepted: string;
  readonly owner: string;
  /** The names of ann's session, task and accepted webhook, which another owner may use too. */
  readonly taken: string;
  /** Names for new things. */
  readonly fresh: string;
}

/** Things that never existed. */
export const ABSENT: Things = {
  session: "absent-session",
  entity: "0198c0de-0000-7000-8000-000000000000",
  task: "absent-task",
  served: "absent-served",
  checkpoint: "absent-checkpoint",
  action: "absent-action",
  approval: "0198c0de-0000-7000-8000-000000000001",
  token: "0198c0de-0000-7000-8000-000000000002",
  person: "absent-person",
  webhook: "0198c0de-0000-7000-8000-000000000003",
  accepted: "absent-accepted",
  owner: "absent",
  taken: "absent-taken",
  fresh: "absent-fresh",
};

export interface DoorRow {
  input(of: Things): Readonly<Record<string, unknown>>;
  /** The state that the session must have. */
  readonly after?: "suspend" | "delete";
  /** The refusal that its owner gets, if it cannot succeed here. */
  readonly refused?: ErrorCode;
  /** A query whose answer contains none of its owner's own words. */
  readonly wordless?: true;
}

const none: DoorRow = { input: () => ({}) };
const one: DoorRow = { input: ({ session }) => ({ id: session }) };
const two = (more: Readonly<Record<string, unknown>>): DoorRow => ({
  input: ({ session }) => ({ id: session, ...more }),
});

/** Nobody listens there. */
const ADDRESS = `http://127.0.0.1:9/${MARK}`;

const OBSERVED = {
  actions: [{ type: "commit", result: "success" }],
  started_at: "2025-12-31T11:45:00Z",
};

/** Inputs with which each operation succeeds for the owner. */
export const DOOR_TABLE: Readonly<Record<OperationName, readonly DoorRow[]>> = {
  get: [one],
  list: [
    { input: () => ({ limit: 50 }) },
    { input: () => ({ deleted: true }), after: "delete" },
    { input: ({ task }) => ({ task_id: task }) },
    { input: ({ task }) => ({ search: task }) },
  ],
  count: [{ ...none, wordless: true }],
  create: [
    { input: ({ served }) => ({ agent_name: "elsewhere", task_id: served }) },
    { input: ({ fresh }) => ({ agent_name: "elsewhere", session_id: fresh }) },
    {
      input: ({ taken }) => ({ agent_name: "elsewhere", session_id: taken }),
      refused: "session_exists",
    },
  ],
  send_message: [{ ...two({ message: "hello" }), refused: "agent_not_found" }],
  suspend: [one],
  resume: [{ ...one, after: "suspend" }],
  update: [two({ phase: "planning", metadata: { a: 1 } })],
  finalize: [two({ outcome: "completed", summary: "done" })],
  cancel: [one],
  interrupt: [{ ...one, refused: "nothing_to_interrupt" }],
  archive: [one],
  rename: [two({ title: "New" })],
  pin: [one],
  unpin: [one],
  delete: [one],
  undelete: [{ ...one, after: "delete" }],
  purge: [{ ...one, after: "delete" }],
  fork: [one],
  handoff: [{ ...two({ to: "nobody" }), refused: "agent_not_found" }],
  replay: [{ ...two({ agent: "nobody" }), refused: "agent_not_found" }],
  // It was not forked.
  merge: [
    { ...one, refused: "not_related" },
    // One of its actions is open.
    { input: ({ session, taken }) => ({ id: session, into: taken }), refused: "turn_open" },
  ],
  compare: [{ input: ({ session, taken }) => ({ id: session, with: taken }) }],
  branches: [one],
  should_resume: [{ ...one, wordless: true }],
  resume_plan: [{ ...one, wordless: true }],
  turns: [one],
  log: [one, two({ before: 1000 })],

  record_turn: [two({ input: "a", output: "b" })],
  begin_action: [two({ type: "deploy" })],
  complete_action: [{ input: ({ session, action }) => ({ id: session, action_id: action }) }],
  save_checkpoint: [two({ name: "again", state: {} })],
  list_checkpoints: [{ ...one, wordless: true }],
  show_checkpoint: [{ input: ({ session, checkpoint }) => ({ id: session, name: checkpoint }) }],
  restore_checkpoint: [{ input: ({ session, checkpoint }) => ({ id: session, name: checkpoint }) }],
  record_outcome: [two({ type: "pull-request" })],
  list_artifacts: [one],
  record_artifact: [two({ name: "plan.md" })],
  submit_observation: [
    { input: ({ fresh }) => ({ session_id: fresh, ...OBSERVED }) },
    { input: ({ taken }) => ({ session_id: taken, ...OBSERVED }) },
  ],

  request_approval: [two({ title: "May I?" })],
  list_approvals: [
    none,
    { input: () => ({ decided: true }), wordless: true },
    { input: ({ taken }) => ({ id: taken }) },
    { input: ({ approval }) => ({ approval_id: approval }) },
  ],
  decide_approval: [
    { input: ({ approval }) => ({ approval_id: approval, decision: "approved", note: "go" }) },
  ],
  recover: [{ input: () => ({ dry_run: true }) }, two({ dry_run: true })],
  recoveries: [{ ...none, wordless: true }],
  // The question is not from recovery.
  answer_recovery: [
    {
      input: ({ approval }) => ({ approval_id: approval, answer: "continue" }),
      refused: "invalid_input",
    },
  ],

  // The newest of all sessions, which may be one that was just created.
  next: [{ ...none, wordless: true }, { input: ({ task }) => ({ task_id: task }) }],
  timeline: [
    { input: ({ task }) => ({ entity_id: task }) },
    { input: ({ session }) => ({ entity_id: session }) },
  ],
  spans: [
    { input: ({ task }) => ({ entity_id: task }) },
    { input: ({ session }) => ({ entity_id: session }) },
    { input: ({ session }) => ({ entity_id: session, before: 9 }) },
  ],
  history: [
    { input: () => ({ limit: 300 }) },
    { input: ({ session }) => ({ session_id: session }) },
  ],
  export: [one, { input: ({ session }) => ({ id: session, redact: true }) }],
  audit: [none, one],
  events: [{ input: () => ({ limit: 100 }) }],
  stats: [{ ...none, wordless: true }],
  expiration: [{ ...none, wordless: true }],
  set_expiration: [{ input: () => ({ after_days: 3650 }), wordless: true }],
  set_expiry: [{ input: ({ session }) => ({ id: session, never: true }) }],
  cleanup: [{ input: () => ({ hours: 24, dry_run: true }) }],
  agents: [{ ...none, wordless: true }],

  add_task: [
    { input: () => ({ title: "A task" }) },
    { input: ({ fresh }) => ({ task_id: fresh, title: "A task" }) },
    { input: ({ taken }) => ({ task_id: taken, title: "A task" }), refused: "task_exists" },
  ],
  update_task: [{ input: ({ task }) => ({ task_id: task, status: "running" }) }],
  list_tasks: [none],

  share: [{ input: ({ session, person }) => ({ id: session, with: person }) }],
  unshare: [{ input: ({ session, person }) => ({ id: session, with: person }) }],
  shares: [{ ...one, wordless: true }],
  shared: [{ ...none, wordless: true }],
  preview_link: [{ ...one, wordless: true }],
  add_link: [one],
  list_links: [{ ...one, wordless: true }],
  revoke_link: [{ ...two({ link_id: ABSENT.token }), refused: "link_not_found" }],

  add_person: [{ input: ({ fresh }) => ({ name: fresh }) }],
  list_people: [none],
  disable_person: [{ input: ({ person }) => ({ name: person }) }],
  whoami: [{ ...none, wordless: true }],

  create_token: [
    { input: () => ({ name: "one" }) },
    { input: ({ owner }) => ({ name: "another", owner }) },
  ],
  list_tokens: [none],
  revoke_token: [{ input: ({ token }) => ({ token_id: token }) }],

  add_webhook: [{ input: () => ({ url: ADDRESS, on: ["session.failed"], allow_private: true }) }],
  accept_webhook: [
    { input: ({ fresh }) => ({ name: fresh, preset: "github", agent_name: "demo" }) },
    {
      input: ({ taken }) => ({ name: taken, preset: "github", agent_name: "demo" }),
      refused: "webhook_exists",
    },
  ],
  list_webhooks: [none],
  remove_webhook: [
    { input: ({ webhook }) => ({ webhook }) },
    { input: ({ accepted }) => ({ webhook: accepted }) },
  ],
  test_webhook: [{ input: ({ webhook }) => ({ webhook }) }],
  webhook_deliveries: [{ input: ({ webhook }) => ({ webhook }), wordless: true }],

  imports: [{ ...none, wordless: true }],
  import_conversations: [
    { input: () => ({ tool: "codex", dry_run: true }), refused: "invalid_input" },
  ],
};

const ANN = { owner: "ann", actor: MARK, interface: "library", trace_id: null } as const;

let made = 0;

/** One of everything, owned by ann, with the mark in every text; in the state that the row needs. */
export async function prepareAnns(
  { service }: TestServer,
  after: DoorRow["after"],
): Promise<Things> {
  made += 1;
  const n = made;
  const text = `${MARK} ${n}`;
  const task = `ann-task-${n}`;
  const served = `ann-served-${n}`;
  const id = `ann-session-${n}`;
  const taken = `ann-taken-${n}`;
  const checkpoint = `ann-checkpoint-${n}`;
  const action = `ann-action-${n}`;
  const accepted = `ann-accepted-${n}`;
  const fresh = `ann-fresh-${n}`;
  const agent_name = `${MARK}-agent`;
  const person = `ann-person-${n}`;
  // Ann is on record as an admin from then on.
  await service.call("add_person", { name: person, display_name: text }, ANN);
  await Promise.all(
    [task, served, taken].map((task_id) =>
      service.call("add_task", { task_id, title: text, priority: text }, ANN),
    ),
  );
  const { entity_id: entity } = await service.call(
    "create",
    {
      agent_name,
      session_id: id,
      title: text,
      purpose: text,
      task_id: task,
      metadata: { text },
      project: { cwd: `/srv/${MARK}`, repo: MARK, branch: MARK },
    },
    ANN,
  );
  const asks = { agent_name, session_id: taken, title: text, task_id: task };
  await service.call("create", asks, ANN);
  const question = { id: taken, title: text, body: text };
  const { approval_id: approval } = await service.call("request_approval", question, ANN);
  const begun = { id, action_id: action, type: MARK, cmd: text, details: { text } };
  const [{ id: token }] = await Promise.all([
    service.call("create_token", { name: MARK }, ANN),
    service.call("update", { id, error: text }, ANN),
    service.call("record_turn", { id, input: text, output: text }, ANN),
    service.call("begin_action", begun, ANN),
    service.call("save_checkpoint", { id, name: checkpoint, state: { text } }, ANN),
    service.call("record_outcome", { id, type: MARK, details: { text } }, ANN),
    service.call("record_artifact", { id, name: MARK, details: { text } }, ANN),
  ]);
  if (after) await service.call(after, { id }, ANN);
  const named = {
    session: id,
    entity,
    task,
    served,
    checkpoint,
    action,
    approval,
    token,
    person,
    taken,
    fresh,
  };
  return { ...named, accepted, webhook: "none", owner: "ann" };
}

/** The same with webhooks, which are limited in number. */
export async function prepareWebhooks({ service }: TestServer, things: Things): Promise<Things> {
  const told = { url: ADDRESS, on: ["session.failed"], allow_private: true };
  const { id: webhook } = await service.call("add_webhook", told, ANN);
  for (const name of [things.accepted, things.taken]) {
    const accepted = { name, preset: "github", agent_name: "demo", cwd: `/${MARK}` };
    await service.call("accept_webhook", accepted, ANN);
  }
  return { ...things, webhook };
}

/** All data of ann's. */
export async function readAnns({ service }: TestServer): Promise<string> {
  const caller = { ...ANN, scope: "admin" } as const;
  const events: unknown[] = [];
  let after: string | null = "";
  while (after !== null) {
    const page: Output<"events"> = await service.call(
      "events",
      after === "" ? {} : { after },
      caller,
    );
    // The server records that a token was used, also by someone who only reads.
    events.push(...page.events.filter(({ type }) => type !== "token.renewed"));
    after = page.next_cursor;
  }
  const listed = await service.call("list_tokens", {}, caller);
  const tokens = listed.tokens
    .map((token) => ({ ...token, last_used_at: null }))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const webhooks = await service.call("list_webhooks", {}, caller);
  return JSON.stringify({ count: events.length, events, tokens, webhooks });
}

/** Every event of ann's sessions by its hash, from the output of `readAnns`. */
export function sessionEventsIn(anns: string): Map<string, string> {
  const { events } = AnnsEvents.parse(JSON.parse(anns));
  // Tasks follow their sessions, also those that others record.
  const own = events.filter(({ kind }) => kind === "session");
  return new Map(own.map(({ hash, id }) => [hash, id]));
}

const AnnsEvents = z.object({
  events: z.array(z.object({ id: z.string(), kind: z.string(), hash: z.string() })),
});
