import fc from "fast-check";
import type { SessionCommand, SessionCommandType } from "../../src/contract/commands.ts";
import {
  APPROVAL_KINDS,
  DECISIONS,
  EFFECTS,
  FINAL_PHASES,
  INTERFACES,
  MERGE_SIDES,
  OPEN_WAYS,
  PART_KINDS,
  PERMISSION_KINDS,
  PHASES,
  RECOVERY_STATUSES,
  RECOVERY_STEPS,
  SUSPEND_REASONS,
  TURN_OUTCOMES,
} from "../../src/contract/vocabulary.ts";
import { COMMAND_TYPES } from "../core/example-command.ts";
import { anyObservation } from "./arbitrary-observation.ts";
import { anyJson, anyText, orNothing } from "./arbitrary-text.ts";

const one = <const T extends readonly unknown[]>(words: T): fc.Arbitrary<T[number]> =>
  fc.constantFrom(...words);
const tokens = fc.nat({ max: 1_000_000 });
const usage = orNothing(
  fc.record({
    input_tokens: tokens,
    output_tokens: tokens,
    cost_usd: fc.double({ min: 0, max: 1000, noNaN: true }).map((cost) => cost + 0),
  }),
);
const time = fc.integer({ min: 0, max: 4_102_444_800_000 });
const id = fc.constantFrom("a", "b", "c", "x".repeat(41));
const uuid = fc.constant("019b9f00-0000-7000-8000-000000000001");
const sessionId = fc.constant("agent-1");
const onlyType = <const T extends SessionCommandType>(type: T) =>
  fc.record({ type: fc.constant(type) });

const range = fc.record({
  session_id: sessionId,
  entity_id: uuid,
  after: fc.nat(),
  to: fc.nat(),
});

type Arbitraries = { readonly [K in SessionCommandType]: fc.Arbitrary<SessionCommand<K>> };

/** Commands with random contents. Ids are placeholders, which `aimCommand` replaces. */
export const COMMANDS: Arbitraries = {
  create: fc.record({
    type: fc.constant("create"),
    session_id: sessionId,
    entity_id: uuid,
    owner: anyText,
    agent_name: anyText,
    interface: one(INTERFACES),
    purpose: orNothing(anyText),
    title: orNothing(anyText),
    project: orNothing(
      fc.record({ cwd: orNothing(anyText), repo: orNothing(anyText), branch: orNothing(anyText) }),
    ),
    task_id: anyText,
    metadata: anyJson,
    supports_resume: fc.boolean(),
    observed: fc.boolean(),
  }),
  fork: fc.record({
    type: fc.constant("fork"),
    session_id: sessionId,
    entity_id: uuid,
    owner: anyText,
    interface: one(INTERFACES),
    title: orNothing(anyText),
    parent: fc.record({ session_id: sessionId, entity_id: uuid, seq: fc.constant(1) }),
  }),
  annotate: fc.record({ type: fc.constant("annotate"), metadata: anyJson }),
  merge: fc.record({
    type: fc.constant("merge"),
    work: fc.record({
      from: range,
      covers: fc.array(range, { minLength: 1, maxLength: 2 }),
      turns: fc.nat(),
      actions: fc.nat(),
      conflicts: fc.array(
        fc.record({
          kind: fc.constantFrom("metadata", "checkpoint"),
          name: anyText,
          taken: one(MERGE_SIDES),
          other: anyJson,
        }),
        { maxLength: 2 },
      ),
      metadata: anyJson,
      checkpoints: fc.array(fc.record({ key: orNothing(fc.constant("spec")), row: anyJson }), {
        maxLength: 2,
      }),
      artifacts: fc.array(anyJson, { maxLength: 2 }),
      outcomes: fc.array(fc.record({ key: fc.constant(null), row: anyJson }), { maxLength: 2 }),
      summary: orNothing(anyText),
    }),
  }),
  handoff: fc.record({
    type: fc.constant("handoff"),
    to: fc.oneof(fc.constantFrom("one", "two"), anyText),
    known: orNothing(
      fc.record({
        session_id: fc.constantFrom("s", "x".repeat(96)),
        made_at: time,
        reopens: fc.boolean(),
        clean: fc.boolean(),
        left: fc.nat(),
      }),
    ),
  }),
  set_resume_ready: fc.record({
    type: fc.constant("set_resume_ready"),
    resume_ready: fc.boolean(),
  }),
  record_error: fc.record({ type: fc.constant("record_error"), error: anyText }),
  set_phase: fc.record({
    type: fc.constant("set_phase"),
    phase: fc.oneof(
      { weight: 20, arbitrary: one(PHASES.slice(0, 6)) },
      { weight: 1, arbitrary: one(FINAL_PHASES) },
    ),
    summary: orNothing(anyText),
  }),
  suspend: fc.record({
    type: fc.constant("suspend"),
    reason: fc.oneof(one(SUSPEND_REASONS), anyText),
    checkpoint_id: orNothing(fc.constantFrom("a", "b")),
    until: fc.option(time, { nil: undefined }),
  }),
  resume: fc.record({ type: fc.constant("resume"), interface: one(INTERFACES) }),
  finalize: fc.record({
    type: fc.constant("finalize"),
    outcome: fc.oneof(
      { weight: 3, arbitrary: fc.constant("completed") },
      { weight: 1, arbitrary: one(FINAL_PHASES) },
    ),
    summary: orNothing(anyText),
    error: orNothing(anyText),
  }),
  archive: onlyType("archive"),
  rename: fc.record({ type: fc.constant("rename"), title: anyText }),
  pin: onlyType("pin"),
  unpin: onlyType("unpin"),
  share: fc.record({
    type: fc.constant("share"),
    person: fc.constantFrom("bob", null),
    role: fc.constantFrom("viewer", "approver", "editor"),
    until: fc.constantFrom(null, 1_800_000_000_000),
  }),
  unshare: fc.record({ type: fc.constant("unshare"), person: fc.constantFrom("bob", null) }),
  set_expiry: fc.record({
    type: fc.constant("set_expiry"),
    expires_at: fc.constantFrom(null, 8_640_000_000_000_000),
  }),
  delete: fc.record({ type: fc.constant("delete"), reason: anyText, purge_at: time }),
  undelete: onlyType("undelete"),
  send_message: fc.record({
    type: fc.constant("send_message"),
    turn_id: id,
    content: anyText,
    interface: one(INTERFACES),
  }),
  interrupt: onlyType("interrupt"),
  note_agent_started: fc.record({
    type: fc.constant("note_agent_started"),
    agent_session_id: anyText,
    way: one(OPEN_WAYS),
    process: fc.record({
      pid: fc.integer({ min: 1, max: 4_194_304 }),
      start_time: orNothing(fc.nat()),
      boot_id: orNothing(anyText),
      cmd: orNothing(anyText),
      stdout_path: fc.constant(null),
      stderr_path: fc.constant(null),
    }),
    reopens: fc.boolean(),
  }),
  note_recovered: fc.record({
    type: fc.constant("note_recovered"),
    status: one(RECOVERY_STATUSES),
    steps: fc.array(
      fc.record({ action_id: id, type: anyText, title: anyText, step: one(RECOVERY_STEPS) }),
      { maxLength: 2 },
    ),
    next_step: orNothing(anyText),
  }),
  note_imported: fc.record({
    type: fc.constant("note_imported"),
    source: id,
    conversation_id: anyText,
    turns: fc.nat(),
    turn_id: orNothing(id),
    items: fc.nat(),
    agent_session_id: orNothing(anyText),
  }),
  note_agent_stopped: fc.record({
    type: fc.constant("note_agent_stopped"),
    reason: fc.oneof(fc.constant("died"), anyText),
  }),
  record_turn: fc.record({
    type: fc.constant("record_turn"),
    turn_id: id,
    input: anyText,
    output: anyText,
    usage,
  }),
  save_checkpoint: fc.record({
    type: fc.constant("save_checkpoint"),
    checkpoint_id: id,
    name: fc.constantFrom("spec", "tests", "other"),
    state: anyJson,
  }),
  restore_checkpoint: fc.record({
    type: fc.constant("restore_checkpoint"),
    checkpoint_id: id,
    name: fc.constantFrom("spec", "tests", "other"),
  }),
  request_approval: fc.record({
    type: fc.constant("request_approval"),
    approval_id: id,
    kind: one(APPROVAL_KINDS),
    title: anyText,
    body: orNothing(anyText),
    action_id: orNothing(id),
    awaited: fc.boolean(),
    expires_at: orNothing(time),
    options: fc.option(fc.subarray([...PERMISSION_KINDS]), { nil: undefined }),
    rollback: fc.option(fc.constant([{ title: "undo", command: "true" }]), { nil: undefined }),
    basis: fc.option(anyText, { nil: undefined }),
  }),
  decide_approval: fc.record({
    type: fc.constant("decide_approval"),
    approval_id: id,
    decision: one(DECISIONS),
    note: orNothing(anyText),
    always: fc.option(fc.boolean(), { nil: undefined }),
  }),
  expire_approval: fc.record({
    type: fc.constant("expire_approval"),
    approval_id: id,
    reason: anyText,
  }),
  observe: fc.record({ type: fc.constant("observe"), observation: anyObservation }),
  record_outcome: fc.record({
    type: fc.constant("record_outcome"),
    outcome: fc.constantFrom("released", "created"),
    id: orNothing(fc.constantFrom("FU-1", "FU-2")),
    details: anyJson,
  }),
  record_artifact: fc.record({
    type: fc.constant("record_artifact"),
    artifact_id: id,
    name: anyText,
    uri: orNothing(anyText),
    media_type: orNothing(anyText),
    details: anyJson,
  }),
  start_turn: fc.record({
    type: fc.constant("start_turn"),
    turn_id: id,
    content: orNothing(anyText),
  }),
  append_part: fc.record({
    type: fc.constant("append_part"),
    turn_id: id,
    item: fc.nat({ max: 3 }),
    kind: one(PART_KINDS),
    offset: fc.nat({ max: 100 }),
    text: anyText,
  }),
  end_turn: fc.record({
    type: fc.constant("end_turn"),
    turn_id: id,
    outcome: one(TURN_OUTCOMES),
    error: orNothing(anyText),
    usage,
  }),
  begin_action: fc.record({
    type: fc.constant("begin_action"),
    action_id: id,
    turn_id: orNothing(id),
    action_type: fc.constantFrom("run_tests", "commit", "deploy"),
    effects: one(EFFECTS),
    idempotent: fc.boolean(),
    idempotency_key: orNothing(anyText),
    detachable: fc.boolean(),
    orphanable: fc.boolean(),
    rollback: fc.array(fc.record({ title: anyText, command: anyText }), { maxLength: 1 }),
    process: fc.constant(null),
    details: anyJson,
  }),
  describe_action: fc.record({
    type: fc.constant("describe_action"),
    action_id: id,
    details: anyJson,
  }),
  complete_action: fc.record({
    type: fc.constant("complete_action"),
    action_id: id,
    status: fc.constantFrom("completed", "failed", "interrupted"),
    result: anyText,
    details: anyJson,
  }),
};

/** The frequency of each: endings are rare, opening and closing is frequent. */
const WEIGHTS: Readonly<Record<SessionCommandType, number>> = {
  create: 1,
  fork: 3,
  annotate: 4,
  merge: 2,
  handoff: 3,
  set_resume_ready: 2,
  record_error: 3,
  set_phase: 6,
  suspend: 4,
  resume: 6,
  finalize: 1,
  archive: 1,
  rename: 2,
  pin: 1,
  unpin: 1,
  share: 1,
  unshare: 1,
  set_expiry: 1,
  delete: 1,
  undelete: 3,
  send_message: 10,
  interrupt: 3,
  note_agent_started: 3,
  note_recovered: 2,
  note_imported: 2,
  note_agent_stopped: 2,
  record_turn: 3,
  save_checkpoint: 3,
  restore_checkpoint: 2,
  request_approval: 6,
  decide_approval: 4,
  expire_approval: 3,
  observe: 4,
  record_outcome: 2,
  record_artifact: 1,
  start_turn: 8,
  append_part: 4,
  end_turn: 6,
  begin_action: 12,
  describe_action: 2,
  complete_action: 6,
};

export const anyCommand: fc.Arbitrary<SessionCommand> = fc.oneof(
  ...COMMAND_TYPES.map((type) => ({ arbitrary: COMMANDS[type], weight: WEIGHTS[type] })),
);
