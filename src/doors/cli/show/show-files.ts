import type {
  CheckpointFiles,
  FileChange,
  FilesDifference,
} from "../../../contract/branch/checkpoint-files.ts";
import { visibleLine } from "../../../contract/visible-text.ts";
import { colors } from "../colors.ts";

/** The files of a checkpoint, in one line. */
export function checkpointFiles({
  files,
  files_skipped,
}: {
  readonly files?: CheckpointFiles | undefined;
  readonly files_skipped?: string | undefined;
}): [string, string][] {
  if (files) {
    return [
      ["files", visibleLine(`${files.count} of ${files.root} (${formatBytes(files.bytes)})`)],
    ];
  }
  return files_skipped === undefined
    ? []
    : [["files", colors.dim(visibleLine(`not recorded: ${files_skipped}`))]];
}

/** The difference that restoring the files of a checkpoint makes or has made. */
export function filesDifference(difference: FilesDifference): string {
  const { changes, total, restored, undo, root } = difference;
  if (total === 0) return "The files have not changed since this checkpoint.\n";
  const lines = changes.map((change) => `  ${lineOf(change)}\n`);
  const more = total > changes.length ? `  and ${total - changes.length} more\n` : "";
  const head = restored
    ? `Restored files in ${root}:\n`
    : `Restoring the files of ${root} would change:\n`;
  const next = restored
    ? `Undo it with: belay checkpoint restore ID ${undo} --files\n`
    : "To restore the files, add --files.\n";
  return visibleLine(head.trimEnd()).concat("\n", lines.join(""), more, next);
}

function lineOf({ path, change, added, removed }: FileChange): string {
  const counts = added === null ? "binary" : `+${added} -${removed}`;
  const paint = { added: colors.green, modified: colors.yellow, removed: colors.red }[change];
  return `${paint(change.padEnd(8))}  ${visibleLine(path)}  ${colors.dim(counts)}`;
}

function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  const kb = bytes / 1024;
  return kb < 1024 ? `${kb.toFixed(1)} KB` : `${(kb / 1024).toFixed(1)} MB`;
}
