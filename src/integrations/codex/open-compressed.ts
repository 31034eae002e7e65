import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as zlib from "node:zlib";
import { readFile } from "../../files/read-file.ts";
import { RecordFile } from "../../import/record-file.ts";

/** Rollouts that Codex has put away are compressed. Larger ones than this do not occur. */
const MOST_BYTES = 1024 * 1024 * 1024;

/** Unpacks a rollout into a file that is gone as soon as it is closed. */
export function openCompressed(path: string): RecordFile {
  if (typeof zlib.zstdDecompressSync !== "function") {
    throw new Error("compressed with zstd, which needs Node.js 22.15 or later");
  }
  const bytes = readFile(path, { most: MOST_BYTES });
  if (bytes === null) throw new Error("the file is gone");
  const folder = mkdtempSync(join(tmpdir(), "belay-import-"));
  try {
    const unpacked = join(folder, "rollout.jsonl");
    writeFileSync(unpacked, zlib.zstdDecompressSync(bytes, { maxOutputLength: MOST_BYTES }), {
      mode: 0o600,
    });
    return new RecordFile(unpacked, path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
