import type { SessionCommand } from "../../contract/commands.ts";
import { refuse } from "../../contract/errors.ts";
import type { SessionHead } from "../../contract/head.ts";
import { LIMITS } from "../../contract/limits.ts";
import { canBeIndexed } from "./can-be-indexed.ts";
import type { DecisionContext, Verdict } from "./decision.ts";
import { refuseTooLong } from "./decision.ts";
import { finish } from "./lifecycle-handlers.ts";
import { placeMetadata, withPlaces } from "./metadata.ts";
import { isUnfinished } from "./status-rules.ts";

/** Commands that describe a session without changing its work. */
export const noteHandlers = {
  annotate: (command: SessionCommand<"annotate">, head: SessionHead): Verdict =>
    withPlaces(placeMetadata(head, command.metadata, command.row), (beside) => [
      { type: "session.updated", data: { metadata: command.metadata, ...beside } },
    ]),
  merge: ({ work, row }: SessionCommand<"merge">, head: SessionHead): Verdict =>
    withPlaces(placeMetadata(head, work.metadata, row), (beside) => [
      { type: "session.merged", data: { ...work, ...beside } },
    ]),
  set_resume_ready: (command: SessionCommand<"set_resume_ready">): Verdict => [
    { type: "session.updated", data: { resume_ready: command.resume_ready } },
  ],
  record_error: (command: SessionCommand<"record_error">): Verdict => [
    { type: "error.recorded", data: { error: command.error } },
  ],
  rename: (command: SessionCommand<"rename">): Verdict =>
    refuseTooLong({ title: [command.title, LIMITS.TITLE] }) ?? [
      { type: "session.renamed", data: { title: command.title } },
    ],
  pin: (_: SessionCommand<"pin">, head: SessionHead): Verdict =>
    head.pinned ? [] : [{ type: "session.pinned", data: {} }],
  unpin: (_: SessionCommand<"unpin">, head: SessionHead): Verdict =>
    head.pinned ? [{ type: "session.unpinned", data: {} }] : [],
  share: ({ type: _, ...data }: SessionCommand<"share">): Verdict => [
    { type: "session.shared", data },
  ],
  unshare: ({ type: _, ...data }: SessionCommand<"unshare">): Verdict => [
    { type: "session.unshared", data },
  ],
  set_expiry: ({ expires_at }: SessionCommand<"set_expiry">, head: SessionHead): Verdict =>
    expires_at === (head.expires_at ?? null)
      ? []
      : [{ type: "session.expiry_set", data: { expires_at } }],
  delete: ({ type: _, ...data }: SessionCommand<"delete">): Verdict => [
    { type: "session.deleted", data },
  ],
  undelete: (_: SessionCommand<"undelete">, head: SessionHead): Verdict =>
    head.deleted
      ? [{ type: "session.undeleted", data: { quiet: true } }]
      : refuse("session_not_deleted", `${head.session_id} is not in the trash.`, {
          session_id: head.session_id,
        }),
  save_checkpoint: (command: SessionCommand<"save_checkpoint">): Verdict => {
    const { type, ...data } = command;
    return (
      refuseTooLong({ checkpoint_id: [data.checkpoint_id, LIMITS.ITEM_ID] }) ?? [
        { type: "checkpoint.saved", data },
      ]
    );
  },
  restore_checkpoint: (command: SessionCommand<"restore_checkpoint">): Verdict => {
    const { type, ...data } = command;
    return (
      refuseTooLong({ checkpoint_id: [data.checkpoint_id, LIMITS.ITEM_ID] }) ?? [
        { type: "checkpoint.restored", data },
      ]
    );
  },
  record_outcome: (command: SessionCommand<"record_outcome">): Verdict => {
    const { outcome, id, details } = command;
    if (!canBeIndexed(outcome) || (id !== null && !canBeIndexed(id))) {
      return refuse(
        "too_large",
        "The type or the id of the outcome is too long. Use a shorter text.",
        {
          limit: LIMITS.INDEXED,
        },
      );
    }
    return [{ type: "outcome.recorded", data: { type: outcome, id, details } }];
  },
  record_artifact: (command: SessionCommand<"record_artifact">): Verdict => {
    const { type, ...data } = command;
    return [{ type: "artifact.recorded", data }];
  },
  /**
   * An observation does not change a session's status, unless the session is only known from
   * observations and is now reported as ended.
   */
  observe: (
    command: SessionCommand<"observe">,
    head: SessionHead,
    context: DecisionContext,
  ): Verdict => {
    const { observation } = command;
    const ends =
      head.observed &&
      observation.ended_at !== undefined &&
      observation.ended_at !== head.observation?.ended_at &&
      isUnfinished(head.status);
    return [
      { type: "observation.submitted", data: { ...observation, replaces: true } },
      ...(ends ? finish(head, context, "completed", null, null) : []),
    ];
  },
};
