import { read } from "node:fs";
import { BadPayload } from "./payload.ts";

const MOST_BYTES = 8 * 1024 * 1024;
const CHUNK = 64 * 1024;
/** Someone made the pipe non-blocking; there is no telling when more comes but to look again. */
const LOOK_AGAIN_MS = 2;

/**
 * All of standard input. Reads in the background, so that a writer that never closes it cannot hold up the deadline; what
 * is too large is read to its end all the same, so that the writer is not cut off.
 */
export async function readStdin(): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for (;;) {
    const chunk = await readChunk();
    if (chunk.length === 0) break;
    size += chunk.length;
    if (size <= MOST_BYTES) chunks.push(chunk);
  }
  if (size <= MOST_BYTES) return Buffer.concat(chunks).toString("utf8");
  throw new BadPayload(`the payload is larger than ${MOST_BYTES} bytes`);
}

function readChunk(): Promise<Buffer> {
  const chunk = Buffer.allocUnsafe(CHUNK);
  return new Promise((resolve, reject) => {
    read(0, chunk, 0, CHUNK, null, (error, size) => {
      if (!error) resolve(chunk.subarray(0, size));
      else if (error.code === "EAGAIN") setTimeout(() => resolve(readChunk()), LOOK_AGAIN_MS);
      else if (error.code === "EOF") resolve(chunk.subarray(0, 0));
      else reject(error);
    });
  });
}
