import { closeSync, constants, createReadStream, mkdtempSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import * as zlib from "node:zlib";
import { createFile, openFile } from "../../files/open-file.ts";
import type { ReportDamage } from "../../import/conversation.ts";
import { readLimits } from "../../import/read-limits.ts";
import { RecordFile } from "../../import/record-file.ts";

/** The largest window that a packed file may need in memory, as a power of two: 16 MB. */
const WINDOW_LOG = 24;

/**
 * Unpacks an archived rollout of Codex into a file that disappears when closed. It reads a damaged one up to the damage.
 */
export async function openCompressed(path: string, report: ReportDamage): Promise<RecordFile> {
  if (typeof zlib.createZstdDecompress !== "function") {
    throw new Error("compressed with zstd, which needs Node.js 22.15 or later");
  }
  const fd = openFile(path, constants.O_RDONLY);
  const folder = mkdtempSync(join(tmpdir(), "belay-import-"));
  try {
    const unpacked = join(folder, "rollout.jsonl");
    const output = createFile(unpacked);
    const { unpacked: most } = readLimits;
    const write = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
      let size = 0;
      for await (const chunk of chunks) {
        size += chunk.length;
        if (size > most) throw new Error(`it has more than ${most} bytes`);
        writeSync(output, chunk);
      }
    };
    const unpacker = zlib.createZstdDecompress({
      params: { [zlib.constants.ZSTD_d_windowLogMax]: WINDOW_LOG },
    });
    try {
      await pipeline(createReadStream(path, { fd }), unpacker, write);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      report({ file: path, line: null, why: `cannot be unpacked to its end: ${why}` });
    } finally {
      closeSync(output);
    }
    return new RecordFile(unpacked, path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
