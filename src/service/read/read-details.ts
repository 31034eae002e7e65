import { BelayError, refuse } from "../../contract/errors.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { Artifact, Task, Turn } from "../../contract/session.ts";
import { isTaskHead } from "../../core/session/known-events.ts";
import { viewTask } from "../../core/view/view-session.ts";
import { readParts } from "../../store/read-streams.ts";
import type { StreamStore } from "../../store/stream-store.ts";
import { readConversations } from "./read-conversation.ts";
import type { TurnPage } from "./turn-pages.ts";
import { viewArtifact } from "./view-artifact.ts";

/** Reads details of many sessions at once, with as many reads as for one. */
export interface SessionDetails {
  /** The newest turns, oldest first. */
  turns(owner: string, pages: readonly TurnPage[]): Promise<Turn[][]>;
  /** The newest, oldest first. */
  artifacts(owner: string, pages: readonly DetailPage[]): Promise<Artifact[][]>;
  checkpoints(owner: string, pages: readonly DetailPage[]): Promise<CheckpointLine[][]>;
  /** Null for a task that does not exist. */
  tasks(owner: string, task_ids: readonly string[]): Promise<(Task | null)[]>;
}

interface DetailPage {
  /** The session's entity id. */
  readonly id: string;
  readonly limit: number;
}

/** A checkpoint without its state. */
export interface CheckpointLine {
  readonly name: string;
  readonly checkpoint_id: string | null;
  readonly timestamp: string;
}

/** The limit for all items of one kind in one request. */
const MOST_BYTES = 4 * LIMITS.PAGE_BYTES;

export function readDetails(store: StreamStore): SessionDetails {
  const newest = async (owner: string, kind: string, pages: readonly DetailPage[]) => {
    const reads = pages.map(({ id, limit }) => ({
      ref: { id },
      rows: [{ kind, before: Number.MAX_SAFE_INTEGER, limit, bytes: LIMITS.PAGE_BYTES }],
    }));
    const parts = await readParts(store, reads, MOST_BYTES);
    if (parts.length < reads.length) {
      const message = "These details are too long for one answer. Ask for fewer sessions.";
      throw new BelayError(refuse("too_large", message, { max: MOST_BYTES }));
    }
    return parts.map((part) => (part?.stream.owner === owner ? (part.rows[0] ?? []) : []));
  };

  return {
    async turns(owner, pages) {
      const parts = await readParts(
        store,
        pages.map(({ id }) => ({ ref: { id } })),
      );
      const own = pages.filter((_, n) => parts[n]?.stream.owner === owner);
      const read = await readConversations(store, own);
      const found = new Map(own.map((page, n) => [page, read[n]?.turns ?? []]));
      return pages.map((page) => found.get(page) ?? []);
    },

    async artifacts(owner, pages) {
      const found = await newest(owner, "artifact", pages);
      return found.map((rows) => rows.flatMap(viewArtifact));
    },

    async checkpoints(owner, pages) {
      const found = await newest(owner, "checkpoint", pages);
      return found.map((rows) =>
        rows.map(({ data }) => ({
          name: String(data.name),
          checkpoint_id: typeof data.checkpoint_id === "string" ? data.checkpoint_id : null,
          timestamp: String(data.timestamp),
        })),
      );
    },

    async tasks(owner, task_ids) {
      const parts = await readParts(
        store,
        task_ids.map((key) => ({ ref: { kind: "task", owner, key } })),
      );
      return parts.map((part) => {
        const head = part?.stream.head;
        return isTaskHead(head) ? viewTask(head) : null;
      });
    },
  };
}
