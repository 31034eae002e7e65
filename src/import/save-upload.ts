import { createWriteStream, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { BelayError, refuse } from "../contract/errors.ts";
import { LIMITS } from "../contract/limits.ts";

/** An uploaded file, stored until it was read. */
export interface Upload {
  readonly path: string;
  /** For temporary files of the process that reads it. */
  readonly temporary: string;
  remove(): void;
}

/** Readers distinguish some files by their folders. No accepted name leads out of its folder. */
const NAME = /^(?!\.{1,2}$)[\w.@ -]{1,200}$/;
const MOST_FOLDERS = 12;

/** Writes the upload into a temporary folder that only this user can read. */
export async function saveUpload(name: string, bytes: AsyncIterable<Uint8Array>): Promise<Upload> {
  const parts = name.split("/");
  if (parts.length > MOST_FOLDERS || !parts.every((part) => NAME.test(part))) {
    const message = `Invalid file name "${name}". Use at most ${MOST_FOLDERS} names of letters, digits, dots, dashes and spaces, with "/" between them.`;
    throw new BelayError(refuse("invalid_input", message, { field: "name" }));
  }
  const folder = mkdtempSync(join(tmpdir(), "belay-upload-"));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    const [path, temporary] = [join(folder, "file", ...parts), join(folder, "temporary")];
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    mkdirSync(temporary, { mode: 0o700 });
    await pipeline(
      Readable.from(bounded(bytes)),
      createWriteStream(path, { flags: "wx", mode: 0o600 }),
    );
    return { path, temporary, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** The size of a request without a length is only known as it arrives. */
async function* bounded(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const max = LIMITS.BLOB_BYTES;
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > max) {
      const message = `The file is larger than ${max} bytes. Send it in parts, or import it with: belay import`;
      throw new BelayError(refuse("too_large", message, { max }));
    }
    yield chunk;
  }
}
