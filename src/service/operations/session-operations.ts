import type { SessionCommand } from "../../contract/commands.ts";
import { BelayError, refuse } from "../../contract/errors.ts";
import { counted } from "../../contract/import/describe-import.ts";
import { TRASH_MS } from "../../contract/limits.ts";
import type { OperationName, Parsed } from "../../contract/operations.ts";
import { readInstant, readUntil } from "../../contract/read-instant.ts";
import type { Session } from "../../contract/session.ts";
import { suspendWith } from "../../core/session/suspend-with.ts";
import { changeSession } from "../change-session.ts";
import { expectOne } from "../expect-one.ts";
import { forkSession } from "../fork-session.ts";
import { idFor, retryOf } from "../idempotency.ts";
import { newSessionId } from "../new-id.ts";
import { readConversationState } from "../read/conversation-state.ts";
import { findSession } from "../read/find-session.ts";
import { showWholeSession } from "../read/show-session.ts";
import { noteExpirationUsed } from "../retention/expiration.ts";
import { readServed } from "../retention/served-time.ts";
import type { Caller, ServiceContext } from "../service-context.ts";

/** Operations that change one session and return it. */
export const sessionOperations = {
  async create(context: ServiceContext, input: Parsed<"create">, caller: Caller) {
    const { idempotency_key, session_id, task_id, purpose, title, project, expires_at, ...rest } =
      input;
    const expires = expires_at === undefined ? null : expectFuture(context, expires_at);
    if (expires !== null) await noteExpirationUsed(context, caller);
    const retry = retryOf("create", input);
    const entity_id = idFor(context, caller, retry);
    const id = session_id ?? newSessionId(context.now(), entity_id);
    if (caller.role !== "member") await expectFolder(context, input.agent_name, project?.cwd);
    const command: SessionCommand = {
      type: "create",
      ...rest,
      session_id: id,
      entity_id,
      owner: caller.owner,
      interface: caller.interface,
      purpose: purpose ?? null,
      title: title ?? null,
      project: project ?? caller.project ?? null,
      task_id: task_id ?? entity_id,
      observed: false,
      ...(expires !== null && { expires_at: expires }),
    };
    const changed = await changeSession(context, caller, { id, commands: () => [command], retry });
    return showWholeSession(context, changed);
  },

  async update(context: ServiceContext, input: Parsed<"update">, caller: Caller) {
    const { phase, error, metadata, resume_ready } = input;
    if ([phase, error, metadata, resume_ready].every((given) => given === undefined)) {
      const message = 'Nothing to update. Give "phase", "metadata", "error" or "resume_ready".';
      throw new BelayError(refuse("invalid_input", message, { id: input.id }));
    }
    const changed = await changeSession(context, caller, {
      id: input.id,
      annotates: metadata !== undefined,
      commands: () => [
        ...(metadata ? [{ type: "annotate", metadata } as const] : []),
        ...(error === undefined ? [] : [{ type: "record_error", error } as const]),
        ...(resume_ready === undefined
          ? []
          : [{ type: "set_resume_ready", resume_ready } as const]),
        ...(phase ? [{ type: "set_phase", phase, summary: null } as const] : []),
      ],
      expected_version: input.expected_version,
      retry: retryOf("update", input),
    });
    const session = await showWholeSession(context, changed);
    if (phase !== "executing" || session.pending_approvals === 0) return session;
    const open = counted(session.pending_approvals, "open approval");
    const warning = `${session.session_id} has ${open}. Wait for the answer before you execute.`;
    return { ...session, warnings: [warning] };
  },

  async finalize(context: ServiceContext, input: Parsed<"finalize">, caller: Caller) {
    const { outcome, summary = null, error = null } = input;
    return change(context, "finalize", input, caller, [
      { type: "finalize", outcome, summary, error },
    ]);
  },

  /** The checkpoint contains the real conversation: the newest turns in full, and the place of the rest in the log. */
  async suspend(context: ServiceContext, input: Parsed<"suspend">, caller: Caller) {
    const checkpoint_id = idFor(context, caller, retryOf("suspend", input));
    const { stream, head } = await findSession(context, caller.owner, input.id);
    const { id, seq } = stream;
    const until = input.until === undefined ? undefined : readInstant(input.until);
    const state = await readConversationState(context.store, { id, seq, head }, input.reason);
    return change(
      context,
      "suspend",
      input,
      caller,
      suspendWith(state, input.reason, checkpoint_id, until),
    );
  },

  async resume(context: ServiceContext, input: Parsed<"resume">, caller: Caller) {
    if (caller.scope === "record") await expectNoQuestion(context, caller, input.id);
    return change(context, "resume", input, caller, [
      { type: "resume", interface: caller.interface },
    ]);
  },

  async cancel(context: ServiceContext, input: Parsed<"cancel">, caller: Caller) {
    const { summary = null } = input;
    return change(context, "cancel", input, caller, [
      { type: "finalize", outcome: "abandoned", summary, error: null },
    ]);
  },

  async archive(context: ServiceContext, input: Parsed<"archive">, caller: Caller) {
    return change(context, "archive", input, caller, [{ type: "archive" }]);
  },

  async rename(context: ServiceContext, input: Parsed<"rename">, caller: Caller) {
    return change(context, "rename", input, caller, [{ type: "rename", title: input.title }]);
  },

  async pin(context: ServiceContext, input: Parsed<"pin">, caller: Caller) {
    return change(context, "pin", input, caller, [{ type: "pin" }]);
  },

  async unpin(context: ServiceContext, input: Parsed<"unpin">, caller: Caller) {
    return change(context, "unpin", input, caller, [{ type: "unpin" }]);
  },

  async set_expiry(context: ServiceContext, input: Parsed<"set_expiry">, caller: Caller) {
    const { expires_at: given, never } = input;
    expectOne("expires_at", given, never);
    const expires_at = given === undefined ? null : expectFuture(context, given);
    await noteExpirationUsed(context, caller);
    return change(context, "set_expiry", input, caller, [{ type: "set_expiry", expires_at }]);
  },

  async delete(context: ServiceContext, input: Parsed<"delete">, caller: Caller) {
    const purge_at = context.now() + TRASH_MS;
    const served_ms = await readServed(context.store);
    return change(context, "delete", input, caller, [
      { type: "delete", reason: "user_requested", purge_at, served_ms },
    ]);
  },

  async undelete(context: ServiceContext, input: Parsed<"undelete">, caller: Caller) {
    return change(context, "undelete", input, caller, [{ type: "undelete" }]);
  },

  async fork(context: ServiceContext, input: Parsed<"fork">, caller: Caller) {
    const { id, at, session_id, title } = input;
    const fork = { id, at, session_id, title, retry: retryOf("fork", input) };
    return showWholeSession(context, await forkSession(context, fork, caller));
  },
};

/** Refuses while a person has to answer a question first. */
async function expectNoQuestion(
  context: ServiceContext,
  caller: Caller,
  id: string,
): Promise<void> {
  const { head } = await findSession(context, caller.owner, id);
  if (head.approvals.length === 0) return;
  const message = `Session ${head.session_id} waits for an answer. A token with scope "record" cannot resume it.`;
  throw new BelayError(refuse("not_allowed", message, { scope: "record", needed: "write" }));
}

async function change(
  context: ServiceContext,
  operation: OperationName,
  input: Parameters<typeof retryOf>[1] & { id: string; expected_version?: number | undefined },
  caller: Caller,
  commands: readonly SessionCommand[],
): Promise<Session> {
  const { id, expected_version } = input;
  const retry = retryOf(operation, input);
  const changed = await changeSession(context, caller, {
    id,
    commands: () => commands,
    expected_version,
    retry,
  });
  return showWholeSession(context, changed);
}

/**
 * Refuses a folder that does not exist for an agent that Belay runs here. Another program's agent may run on another
 * machine, so its folder is not checked. Members learn nothing about folders of this machine.
 */
async function expectFolder(
  { agents }: ServiceContext,
  agent_name: string,
  folder: string | null | undefined,
): Promise<void> {
  if (folder == null || (await isFolder(folder))) return;
  if (!(await agents?.knows(agent_name, folder))) return;
  const message = `Folder not found: ${folder}. Create it, or give a folder that exists.`;
  throw new BelayError(refuse("invalid_input", message, { field: "project.cwd", folder }));
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await process.getBuiltinModule("node:fs/promises").stat(path)).isDirectory();
  } catch {
    return false;
  }
}

/** A past date would delete a session right after someone worked with it. */
function expectFuture(context: ServiceContext, time: string): number {
  const at = readUntil(time, context.now());
  if (at > context.now()) return at;
  const message = `expires_at: ${time} is in the past. Use a later time, or delete the session.`;
  throw new BelayError(refuse("invalid_input", message, { field: "expires_at" }));
}
