import type { CheckpointFiles } from "../../contract/branch/checkpoint-files.ts";
import type { SessionCommand } from "../../contract/commands.ts";
import { BelayError, refuse } from "../../contract/errors.ts";
import type { Output, Parsed } from "../../contract/operations.ts";
import type { Checkpoint } from "../../contract/session.ts";
import { isUnfinished } from "../../core/session/status-rules.ts";
import { mayRestoreFiles } from "../access/server-admin.ts";
import { changeSession } from "../change-session.ts";
import { expectScope, hasScope } from "../expect-scope.ts";
import { forkSession } from "../fork-session.ts";
import { idFor, retryOf } from "../idempotency.ts";
import { type FoundSession, findSession } from "../read/find-session.ts";
import { findCheckpoint, hasCheckpoint, readCheckpoint } from "../read/read-checkpoint.ts";
import type { Caller, ServiceContext } from "../service-context.ts";

type Restored = Output<"restore_checkpoint">;

/** Restores a checkpoint in the session or in a fork, with its files if `files` is set. */
export async function restoreCheckpoint(
  context: ServiceContext,
  input: Parsed<"restore_checkpoint">,
  caller: Caller,
): Promise<Restored> {
  const found = await findSession(context, caller.owner, input.id);
  const checkpoint = await readCheckpoint(context.store, found.stream.id, input.name);
  if (input.fork) expectScope(caller.scope, "write");
  const isOpen = input.fork || isUnfinished(found.head.status) || found.head.deleted !== null;
  const restore = async (before?: { readonly undo: string; readonly files: CheckpointFiles }) =>
    noteRestored(context, { input, found, checkpoint, before }, caller);
  if (input.files && !input.dry_run) {
    return restoreWithFiles(context, { input, found, checkpoint, isOpen, restore }, caller);
  }
  const session_id =
    input.dry_run || !isOpen ? found.head.session_id : (await restore()).session_id;
  const compared = await compareFiles(context, checkpoint, caller);
  return { ...checkpoint, session_id, restored: isOpen && !input.dry_run, ...compared };
}

interface Asked {
  readonly input: Parsed<"restore_checkpoint">;
  readonly found: FoundSession;
  readonly checkpoint: Checkpoint;
}

async function restoreWithFiles(
  context: ServiceContext,
  asked: Asked & {
    readonly isOpen: boolean;
    restore(before: { undo: string; files: CheckpointFiles }): Promise<{ session_id: string }>;
  },
  caller: Caller,
): Promise<Restored> {
  const { input, found, checkpoint, isOpen, restore } = asked;
  if (!mayRestoreFiles(caller)) expectScope(caller.scope, "admin", HINT);
  const { files, checkpoint_id } = checkpoint;
  const { workTrees } = context;
  if (!files || checkpoint_id === null || !workTrees) throw noFiles(checkpoint);
  const { head } = found;
  if (!isOpen) {
    const message = `${head.session_id} is finished, so nothing is restored in it. Restore the files in a fork of it.`;
    throw new BelayError(refuse("work_tree_refused", message, { session_id: head.session_id }));
  }
  if (head.turn || head.actions.length > 0) {
    const message = `${head.session_id} is in the middle of a turn or an action, which may change files. Wait, or interrupt it.`;
    throw new BelayError(refuse("turn_open", message, { session_id: head.session_id }));
  }
  const undo = undoId(context, input, caller);
  if (await hasCheckpoint(context.store, caller.owner, undo)) {
    // A retry of this request must not restore the files twice.
    const { session_id } = await restore({ undo, files });
    return { ...checkpoint, session_id, restored: true };
  }
  const { difference, recorded } = await workTrees.restore(
    { files, checkpoint_id, owner: caller.owner, undo, expected: input.expected_files },
    (before) => restore({ undo, files: before }),
  );
  return {
    ...checkpoint,
    session_id: recorded.session_id,
    restored: true,
    difference: { ...difference, undo: undoName(undo) },
  };
}

const HINT =
  "Restoring files changes files on the server's computer. Use: belay checkpoint restore";

/** Records the restore in the log, together with a checkpoint of the files before it. */
async function noteRestored(
  context: ServiceContext,
  { input, found, checkpoint, before }: Asked & { before: Before | undefined },
  caller: Caller,
): Promise<{ session_id: string }> {
  const { name } = checkpoint;
  const checkpoint_id = checkpoint.checkpoint_id ?? context.newId();
  const undo = before?.undo;
  const commands: SessionCommand[] = [
    ...(before
      ? [
          {
            type: "save_checkpoint",
            checkpoint_id: before.undo,
            name: undoName(before.undo),
            state: {},
            files: before.files,
          } as const,
        ]
      : []),
    { type: "restore_checkpoint", checkpoint_id, name, ...(undo !== undefined && { undo }) },
  ];
  const retry = retryOf("restore_checkpoint", input);
  const { stream } = found;
  if (!input.fork) {
    const { expected_version } = input;
    const change = { id: stream.id, commands: () => commands, expected_version, retry };
    const { head } = await changeSession(context, caller, change);
    return { session_id: head.session_id };
  }
  const { place } = await findCheckpoint(context.store, stream.id, input.name);
  const { head } = await forkSession(
    context,
    { id: stream.id, at: place, commands, retry },
    caller,
  );
  return { session_id: head.session_id };
}

interface Before {
  readonly undo: string;
  readonly files: CheckpointFiles;
}

/**
 * The difference that restoring the files would make. It shows file contents, so it needs scope `write`. A member may have
 * forked the session of another person, whose folder is not theirs to read.
 */
async function compareFiles(
  { workTrees }: ServiceContext,
  { files, checkpoint_id }: Checkpoint,
  caller: Caller,
): Promise<Pick<Restored, "difference" | "files_skipped">> {
  if (!workTrees || !files || checkpoint_id === null || !hasScope(caller.scope, "write")) return {};
  if (caller.role === "member") return { files_skipped: NOT_FOR_MEMBERS };
  try {
    const difference = await workTrees.compare(files, checkpoint_id);
    return { difference, ...(!mayRestoreFiles(caller) && { files_skipped: NOT_WITH_THIS_TOKEN }) };
  } catch (error) {
    if (!(error instanceof BelayError) || error.code !== "work_tree_refused") throw error;
    return { files_skipped: error.message };
  }
}

const NOT_WITH_THIS_TOKEN =
  "Only the user of the server's computer, an admin in a browser or a token with scope admin can restore files.";
const NOT_FOR_MEMBERS = "Members cannot see the files of the server's computer.";

function undoId(
  context: ServiceContext,
  input: Parsed<"restore_checkpoint">,
  caller: Caller,
): string {
  const retry = retryOf("restore_checkpoint", input);
  // The id of the fork also comes from this key, so this one must differ.
  return idFor(context, caller, retry && { ...retry, operation: `${retry.operation}.undo` });
}

function undoName(undo: string): string {
  return `before-restore-${undo}`;
}

function noFiles({ name, files_skipped }: Checkpoint): BelayError {
  const why = files_skipped === undefined ? "" : ` ${files_skipped}`;
  const message = `Checkpoint ${name} has no files.${why}`;
  return new BelayError(refuse("work_tree_refused", message, { name }));
}
