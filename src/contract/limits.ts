/**
 * All limits of the model. Together they keep a head under `HEAD_BYTES`; a property test checks it.
 */
export const LIMITS = {
  /** The largest head in JSON bytes, after any history. */
  HEAD_BYTES: 8192,
  /** The largest body of one event, in bytes. */
  BODY_BYTES: 4 * 1024 * 1024,
  /** The largest blob, and the size of the chunks in which it is stored and sent. */
  BLOB_BYTES: 64 * 1024 * 1024,
  BLOB_CHUNK: 1024 * 1024,
  /** The bytes of all blobs of one owner, unless BELAY_FILES_LIMIT is set. */
  OWNER_FILES: 20 * 1024 * 1024 * 1024,
  /** A checkpoint's state up to this many bytes is stored in its event; a larger one as a blob. */
  STATE_INLINE: 256 * 1024,
  SESSION_ID: { min: 5, max: 128 },

  // Texts in the head are limited in JSON bytes, so that the limit is the same for all scripts and
  // for quotes.
  OWNER: 64,
  AGENT: 96,
  TASK_ID: 96,
  TITLE: 160,
  /** A title that is the start of the first message. */
  FIRST_TITLE: 80,
  PURPOSE: 160,
  PROJECT: 512,
  /** The longest id of a turn, action, approval or checkpoint. */
  ITEM_ID: 40,
  /** The longest id that an agent gives its own session. */
  AGENT_SESSION: 96,
  /** A longer error is stored in full in its event and cut in the head. */
  ERROR: 200,
  SUMMARY: 200,
  SUSPEND_REASON: 120,
  /**
   * The longest name that is only stored in rows, such as names of checkpoints and action types.
   */
  NAME: 128,
  /**
   * The longest text that rows and sessions are looked up by, in bytes. Two of them fit into a
   * store's index.
   */
  INDEXED: 240,

  /**
   * A metadata value up to this size is stored in the head; a larger one stays in the event that
   * set it.
   */
  METADATA_INLINE: 128,
  METADATA_KEY: 64,
  /**
   * The limit for the metadata in the head, in JSON bytes with pointers. Further keys are stored in
   * a row.
   */
  METADATA_HEAD: 800,
  METADATA_KEYS: 128,

  OPEN_ACTIONS: 16,
  /** The most temporary files of one action, and the longest path. */
  TEMPORARY: { files: 32, path: 1024 },
  OPEN_APPROVALS: 8,
  /** The decisions that an agent is told at once, and the characters of each note. */
  NEW_DECISIONS: { count: 10, note: 2000 },
  QUEUED_MESSAGES: 10,
  /** The number of phase changes that the head holds. */
  RECENT_PHASES: 5,

  /**
   * The longest text that a person is asked to approve. A longer one shows its start and end, and
   * how much is missing.
   */
  APPROVAL_TEXT: 16 * 1024,
  /** The most options of one question, and the most characters of an option's id and of its name. */
  CHOICES: { count: 50, text: 200 },

  /** Limits of webhooks: JSON bytes of texts in their heads, and the number per owner. */
  WEBHOOK_URL: 1000,
  WEBHOOK_MESSAGE: 4000,
  WEBHOOK_PATH: 128,
  WEBHOOK_EVENTS: 16,
  WEBHOOKS: 50,
  /** The most public links of one session that work at the same time. */
  LINKS: 100,

  /** The most files that a checkpoint records, and their bytes. */
  CHECKPOINT_FILES: { count: 50_000, bytes: 1024 * 1024 * 1024 },
  /** The shown part of a file difference: the number of files, and the bytes of its text. */
  FILES_SHOWN: { changes: 500, patch: 64 * 1024 },
  /**
   * Limits of one merge: the number of checkpoints, artifacts and outcomes, and their JSON bytes.
   */
  MERGED: { items: 1000, bytes: 1024 * 1024 },
  FORK_DEPTH: 32,
  /** The longest search text, in characters. */
  SEARCH: 200,
  /** The number of sessions that one search request reads. */
  SEARCHED: 2000,
  PAGE: { default: 50, max: 1000 },
  /** A page ends after this many bytes, whatever its limit. It has at least one item. */
  PAGE_BYTES: 2 * 1024 * 1024,
} as const;

/** Defaults of the five checks of `shouldResume`. */
export const RESUME_POLICY = { idle_ms: 30 * 60_000, max_errors: 3 } as const;
export interface ResumePolicy {
  readonly idle_ms: number;
  readonly max_errors: number;
}

export const TRASH_MS = 7 * 24 * 3_600_000;
