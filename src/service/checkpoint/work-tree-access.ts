import type { CheckpointFiles, FilesDifference } from "../../contract/branch/checkpoint-files.ts";

/** Recorded files of a checkpoint that is not saved yet. */
interface RecordedFiles {
  readonly files: CheckpointFiles;
  /** Removes them again if the checkpoint is not saved. */
  forget(): void;
}

interface FilesRestore {
  readonly files: CheckpointFiles;
  /** The checkpoint with the files. */
  readonly checkpoint_id: string;
  readonly owner: string;
  /** The id of the checkpoint for the present files. */
  readonly undo: string;
  /** The `present` of a difference that the caller has seen. */
  readonly expected: string | undefined;
}

/** Access to files in git work trees of this computer. */
export interface WorkTreeAccess {
  /** Records the files of a trusted folder. Throws `work_tree_refused` if they cannot be recorded. */
  record(cwd: string, checkpoint_id: string): Promise<RecordedFiles>;
  /** The difference that restoring would make. */
  compare(files: CheckpointFiles, checkpoint_id: string): Promise<FilesDifference>;
  /**
   * Restores files and calls `record`, both or neither. `record` gets the files as they were before, which are kept under
   * the id `undo`.
   */
  restore<T>(
    restore: FilesRestore,
    record: (before: CheckpointFiles) => Promise<T>,
  ): Promise<{ readonly difference: FilesDifference; readonly recorded: T }>;
}
