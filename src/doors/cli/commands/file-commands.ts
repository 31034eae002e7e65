import { closeSync, createReadStream, fsyncSync, realpathSync, rmSync, writeSync } from "node:fs";
import { basename } from "node:path";
import { BelayError, refuse } from "../../../contract/errors.ts";
import { visibleJson, visibleLine } from "../../../contract/visible-text.ts";
import { errorCode, FileRefusal, isMissing } from "../../../files/file-refusal.ts";
import { createFile, openIfThere } from "../../../files/open-file.ts";
import { expectArguments } from "../expect-arguments.ts";
import type { Program } from "../program.ts";

/** Commands for files stored with a session. */

export async function upload(args: readonly string[], program: Program): Promise<number> {
  const usage = "upload ID FILE [--name NAME] [--media-type TYPE]";
  const { positionals, values } = expectArguments(usage, args, 2, {
    name: { type: "string" },
    "media-type": { type: "string" },
  });
  const [id = "", path = ""] = positionals;
  const { name = basename(path), "media-type": media_type } = values;
  const fd = openToRead(path);
  // The stream closes the file in every case.
  const source = createReadStream("", { fd });
  const belay = await program.open({ create: false });
  try {
    const file = { id, name, ...(media_type !== undefined && { media_type }) };
    const added = await belay.files.add(program.caller, file, source);
    const { terminal } = program;
    terminal.write(
      terminal.json
        ? `${visibleJson(added)}\n`
        : `Stored ${visibleLine(String(name))} with ${added.session_id}\n${added.digest}\n`,
    );
    return 0;
  } finally {
    source.destroy();
    await belay.close();
  }
}

export async function download(args: readonly string[], program: Program): Promise<number> {
  const { positionals } = expectArguments("download ID DIGEST FILE", args, 3);
  const [id = "", digest = "", path = ""] = positionals;
  const belay = await program.open({ create: false });
  try {
    const { size, bytes } = await belay.files.read(program.caller, { id, digest });
    await writeNewFile(path, bytes());
    const { terminal } = program;
    terminal.write(
      terminal.json
        ? `${visibleJson({ file: path, digest, size })}\n`
        : `Wrote ${size} bytes to ${visibleLine(path)}\n`,
    );
    return 0;
  } finally {
    await belay.close();
  }
}

/** Writes a new file, completely or not at all. */
export async function writeNewFile(
  path: string,
  pieces: AsyncIterable<Uint8Array | string>,
): Promise<void> {
  const fd = create(path);
  try {
    for await (const piece of pieces) writeSync(fd, Buffer.from(piece));
    fsyncSync(fd);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
}

function openToRead(path: string): number {
  try {
    const fd = openIfThere(realpathSync(path));
    if (fd !== null) return fd;
  } catch (error) {
    if (!isMissing(error)) throw unusable(path, "cannot be read. Check its permissions.", error);
  }
  throw unusable(path, "does not exist. Check the path.");
}

function create(path: string): number {
  try {
    return createFile(path);
  } catch (error) {
    const exists = errorCode(error) === "EEXIST";
    throw unusable(
      path,
      exists ? "already exists. Choose another name." : "cannot be created. Check the folder.",
      error,
    );
  }
}

function unusable(path: string, what: string, cause?: unknown): BelayError {
  const why = cause instanceof FileRefusal ? `${cause.why}.` : what;
  return new BelayError(refuse("invalid_input", `${path} ${why}`, { field: "FILE" }), cause);
}
