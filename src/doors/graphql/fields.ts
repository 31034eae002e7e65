import { z } from "zod";
import { BelayError, refuse } from "../../contract/errors.ts";
import type { OperationName, Output } from "../../contract/operations.ts";
import { OPERATIONS } from "../../contract/operations.ts";
import { Session, Turn } from "../../contract/session.ts";
import { beginSession } from "../../drive/run/begin-session.ts";
import type { SentMessage } from "../../drive/run/follow-turn.ts";
import { listUntilFull } from "../../service/read/list-until-full.ts";
import type { Ask } from "./graphql-parts.ts";

/** A field of Query or Mutation that is one operation. Its arguments are the operation's input in camelCase. */
export interface OperationField<K extends OperationName = OperationName> {
  /** Set if it differs from the operation's name in camelCase. */
  readonly name?: string;
  /** Names of arguments that differ from the input's fields; `id` is always `sessionId`. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** Defaults that differ from those of the operation. */
  readonly defaults?: Readonly<Record<string, unknown>>;
  /** The same, but not shown in the schema. */
  readonly assumed?: Readonly<Record<string, unknown>>;
  /** The one argument that is the whole input, if the operation's schema does not describe it. */
  readonly whole?: string;
  /** The field is null in case of an error, so that the rest of the query is still answered. */
  readonly nullable?: true;
  present?(output: Output<K>): unknown;
  /** The presented type, if it is not the operation's own output. */
  readonly output?: z.ZodType;
  /** Arguments besides those of the operation. */
  readonly more?: Readonly<Record<string, z.ZodType>>;
  /** Set if the field does more than call the operation. */
  perform?(ask: Ask, input: Readonly<Record<string, unknown>>): Promise<unknown>;
}

/** THE table of queries and mutations. Every operation needs a line, or it does not compile. */
export const FIELDS = {
  get: { name: "agentSession", nullable: true },
  list: {
    name: "agentSessions",
    renamed: { agent: "agentName", cursor: "after" },
    defaults: { limit: 20 },
    output: z.array(Session),
    present: withCursor,
    // A short page could be empty, and then there would be no cursor to continue with.
    perform: async ({ parts, caller, signal }, input) =>
      withCursor(await listUntilFull(parts.service, input, caller, signal)),
  },
  count: {},
  create: {
    name: "createAgentSession",
    more: { initial_message: z.string().optional().describe("becomes its first prompt") },
    async perform({ parts, caller }, { initial_message: message, ...fields }) {
      if (message === undefined) return parts.service.call("create", fields, caller);
      return (await beginSession(parts, fields, message, caller)).session;
    },
  },
  send_message: {
    more: {
      wait: z
        .boolean()
        .default(true)
        .describe("wait until the turn has ended, or a person has to decide"),
    },
    output: Turn,
    perform: sendMessage,
  },
  suspend: { name: "suspendSession", assumed: { reason: "api_requested" } },
  resume: { name: "resumeSession" },

  update: {},
  finalize: {},
  cancel: {},
  interrupt: {},
  archive: {},
  rename: {},
  pin: {},
  unpin: {},
  delete: {},
  undelete: {},
  fork: { renamed: { session_id: "newSessionId" } },
  handoff: {},
  replay: {},
  merge: {},
  compare: {},
  branches: {},
  should_resume: {},
  resume_plan: {},
  turns: {},
  log: {},

  record_turn: {},
  begin_action: {},
  complete_action: {},
  save_checkpoint: {},
  list_checkpoints: {},
  show_checkpoint: {},
  restore_checkpoint: {},
  record_outcome: {},
  record_artifact: {},
  list_artifacts: {},
  submit_observation: { whole: "observation" },

  request_approval: {},
  list_approvals: {},
  decide_approval: {},
  recover: {},
  recoveries: {},
  answer_recovery: {},

  next: {},
  timeline: {},
  spans: {},
  history: {},
  export: {},
  audit: {},
  events: {},
  stats: {},
  expiration: {},
  set_expiration: {},
  set_expiry: {},
  cleanup: {},
  purge: {},
  agents: {},

  add_task: {},
  update_task: {},
  list_tasks: {},

  share: {},
  unshare: {},
  shares: {},
  shared: {},
  preview_link: {},
  add_link: {},
  list_links: {},
  revoke_link: {},

  add_person: {},
  list_people: {},
  disable_person: {},
  whoami: {},

  create_token: {},
  list_tokens: {},
  revoke_token: {},

  add_webhook: {},
  accept_webhook: {},
  list_webhooks: {},
  remove_webhook: {},
  test_webhook: {},
  webhook_deliveries: {},
  imports: {},
  import_conversations: {},
} as const satisfies { readonly [K in OperationName]: OperationField<K> };

/** The same operation in its own form, which also reports unreadable sessions. */
export const SECOND_FIELDS = { list: {} } as const satisfies {
  readonly [K in OperationName]?: OperationField<K>;
};

/** The cursor of a page is on its last session. */
function withCursor({ sessions, next_cursor }: Output<"list">): unknown {
  return sessions.map((session, n) =>
    n === sessions.length - 1 ? { ...session, cursor: next_cursor } : session,
  );
}

export function isOperation(name: string): name is OperationName {
  return Object.hasOwn(OPERATIONS, name);
}

/** As long as the other interfaces wait for an answer. */
const PATIENCE_MS = 600_000;

/** Sends a message and returns its turn: as it ended, or as far as it got in the waiting time. */
async function sendMessage(
  { parts, caller, signal }: Ask,
  { wait, ...message }: Readonly<Record<string, unknown>>,
): Promise<Turn> {
  const sent = await parts.service.call("send_message", message, caller);
  if (wait === false) return readTurn({ parts, caller }, sent);
  const answer = await parts.awaitTurn(caller, sent, PATIENCE_MS, signal);
  if ("failure" in answer) {
    const { session_id, turn_id } = sent;
    throw new BelayError(refuse("agent_failed", answer.failure, { session_id, turn_id }));
  }
  return readTurn({ parts, caller }, sent);
}

async function readTurn(
  { parts, caller }: Pick<Ask, "parts" | "caller">,
  { session_id, turn_id, seq }: SentMessage,
): Promise<Turn> {
  const page = { id: session_id, before: seq + 1, limit: 1 };
  const [turn] = (await parts.service.call("turns", page, caller)).turns;
  if (!turn) throw new Error(`${session_id} does not have the turn ${turn_id} that it was sent`);
  return turn;
}
