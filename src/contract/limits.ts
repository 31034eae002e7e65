/** Every bound of the model in one place. Together they keep a head under `HEAD_BYTES`; a property test holds them to it. */
export const LIMITS = {
  /** JSON bytes of a head after any history. */
  HEAD_BYTES: 8192,
  /** Bytes of one event's body. */
  BODY_BYTES: 4 * 1024 * 1024,
  /** Bytes of a content beside the log, and of the chunks in which it is kept and sent. */
  BLOB_BYTES: 64 * 1024 * 1024,
  BLOB_CHUNK: 1024 * 1024,
  /** Bytes of a checkpoint's state that stands in its event; a longer one stands beside the log. */
  STATE_INLINE: 256 * 1024,
  SESSION_ID: { min: 5, max: 128 },

  // Of texts that stand in the head: bytes as JSON takes them, so that no script and no quote is cheaper than another.
  OWNER: 64,
  AGENT: 96,
  TASK_ID: 96,
  TITLE: 160,
  PURPOSE: 160,
  PROJECT: 512,
  /** Ids of turns, actions, approvals and checkpoints. */
  ITEM_ID: 40,
  /** An agent's own name for its session. */
  AGENT_SESSION: 96,
  /** A longer one is kept whole in its event and cut in the head. */
  ERROR: 200,
  SUMMARY: 200,
  SUSPEND_REASON: 120,
  /** Characters of names that stand in rows only: checkpoints, action types. */
  NAME: 128,
  /** Bytes of texts by which rows and sessions are found; two of them fit into what a store indexes. */
  INDEXED: 240,

  /** Metadata values up to this size stand in the head, larger ones stay in the event that set them. */
  METADATA_INLINE: 128,
  METADATA_KEY: 64,
  /** JSON bytes of metadata as the head holds it, pointers included. Keys beyond it stand in a row. */
  METADATA_HEAD: 800,
  METADATA_KEYS: 128,

  OPEN_ACTIONS: 16,
  /** Temporary files that one action names, and characters of each path. */
  TEMPORARY: { files: 32, path: 1024 },
  OPEN_APPROVALS: 8,
  QUEUED_MESSAGES: 10,
  /** Phase changes that the head itself remembers. */
  RECENT_PHASES: 5,

  /** Characters of what a person is asked to approve: a longer text shows its beginning and end, and says what is missing. */
  APPROVAL_TEXT: 16 * 1024,

  /** Of webhooks: JSON bytes of texts in their heads, and how many an owner may have. */
  WEBHOOK_URL: 1000,
  WEBHOOK_MESSAGE: 4000,
  WEBHOOK_PATH: 128,
  WEBHOOK_EVENTS: 16,
  WEBHOOKS: 50,

  /** Checkpoints, artifacts and outcomes that one merge brings, and their JSON bytes. */
  MERGED: { items: 1000, bytes: 1024 * 1024 },
  FORK_DEPTH: 32,
  /** Characters of the words that a list is searched for. */
  SEARCH: 200,
  /** Sessions that one request looks at in search of these words. */
  SEARCHED: 2000,
  PAGE: { default: 50, max: 1000 },
  /** Bytes after which a page ends, whatever its limit; it has at least one item. */
  PAGE_BYTES: 2 * 1024 * 1024,
} as const;

/** Defaults of the five checks of `shouldResume`. */
export const RESUME_POLICY = { idle_ms: 30 * 60_000, max_errors: 3 } as const;
export interface ResumePolicy {
  readonly idle_ms: number;
  readonly max_errors: number;
}

export const TRASH_MS = 7 * 24 * 3_600_000;
