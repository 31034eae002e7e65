import { z } from "zod";

const Count = z.number().int().min(0);

/** The recorded files of a git work tree: a commit that is on no branch. */
export const CheckpointFiles = z.object({
  root: z.string().describe("the folder of the work tree"),
  commit: z.string(),
  tree: z.string(),
  count: Count,
  bytes: Count,
});
export type CheckpointFiles = z.infer<typeof CheckpointFiles>;

/** The reason why a checkpoint has no files. */
export const FilesSkipped = z.string().describe("why no files were recorded, shown or restored");

const FileChange = z.object({
  path: z.string(),
  change: z.enum(["added", "modified", "removed"]).describe("what restoring does to the file"),
  added: Count.nullable().describe("lines; null for a binary file"),
  removed: Count.nullable(),
});
export type FileChange = z.infer<typeof FileChange>;

/** The difference that restoring the files of a checkpoint makes or has made. */
export const FilesDifference = z.object({
  root: z.string(),
  commit: z.string(),
  present: z.string().describe("the files as they are now: give it back as expected_files"),
  changes: z.array(FileChange).describe("the first 500"),
  total: Count.describe("how many files change"),
  patch: z.string().describe("the difference as text, the first 64 KB of it"),
  patch_cut: z.boolean(),
  restored: z.boolean(),
  undo: z
    .string()
    .nullable()
    .describe("the checkpoint that holds the files as they were before they were restored"),
});
export type FilesDifference = z.infer<typeof FilesDifference>;

/** Events about checkpoints. */
export const CHECKPOINT_EVENTS = {
  "checkpoint.saved": z.object({
    checkpoint_id: z.string(),
    name: z.string(),
    state: z.record(z.string(), z.unknown()),
    /** Set if the state is too large for an event: it is stored as a blob, and these are its entities. */
    state_file: z.object({ digest: z.string(), size: z.number() }).optional(),
    entities: z.array(z.string()).optional(),
    files: CheckpointFiles.optional(),
    files_skipped: z.string().optional(),
  }),
  "checkpoint.restored": z.object({
    checkpoint_id: z.string(),
    name: z.string(),
    /** Set if its files were restored: the checkpoint with the files before that. */
    undo: z.string().optional(),
  }),
};
