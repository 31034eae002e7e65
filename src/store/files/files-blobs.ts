import { hash, randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../../files/make-folder.ts";
import { createFile } from "../../files/open-file.ts";
import { readFile } from "../../files/read-file.ts";
import { replaceFile } from "../../files/replace-file.ts";
import { syncFolder } from "../../files/sync-folder.ts";
import { AS_THEY_ARE, type BlobStore } from "../blob-store.ts";
import { blobRemoved } from "../blobs/blob-removed.ts";
import { cutChunks } from "../blobs/cut-chunks.ts";
import { decodeChunks } from "../blobs/decode-chunks.ts";
import { expectRoom } from "../expect-room.ts";
import { streamGone } from "../stream-gone.ts";
import type { CommittedBlob } from "./disk/commit-entry.ts";
import { damaged } from "./disk/files-error.ts";
import { type FilesFolder, type StreamFolder, streamFolder } from "./disk/files-folder.ts";
import { openCommitted, readFrom, writeAll } from "./disk/line-file.ts";
import { hashObject, openLine, sealLine } from "./disk/sealed-line.ts";
import type { IndexedStream, StreamIndex } from "./read/stream-index.ts";
import type { WriteBatch } from "./write/write-batch.ts";

interface BlobAccess {
  readonly files: FilesFolder;
  /** All commits of now. */
  look(): StreamIndex;
  write<T>(run: (batch: WriteBatch) => T): Promise<T>;
}

/** The file beside the bytes of a blob. The commit that stores the blob has the hash of this file. */
interface BlobNote extends Omit<CommittedBlob, "note"> {
  readonly chunks: readonly { readonly bytes: number; readonly sum: string }[];
}

/** Each blob is a file in the folder of its stream, so equal bytes are stored once for each stream. */
export function filesBlobs({ files, look, write }: BlobAccess): BlobStore {
  const folderOf = ({ kind, id }: IndexedStream) => streamFolder(files, kind, id);
  return {
    async put(id, source, coding = AS_THEY_ARE, most) {
      const partial = join(files.folder, `.blob-${randomBytes(8).toString("hex")}.tmp`);
      const file = createFile(partial);
      try {
        const chunks: BlobNote["chunks"][number][] = [];
        const cut = cutChunks(source);
        let step = await cut.next();
        for (let at = 0; !step.done; step = await cut.next()) {
          const stored = coding.encode(step.value, chunks.length);
          writeAll(file, stored, at);
          at += stored.length;
          chunks.push({ bytes: stored.length, sum: sumOf(stored) });
        }
        fsyncSync(file);
        const blob = step.value;
        const name = coding.nameOf(blob.digest);
        const added = await write((batch) => {
          const stream = batch.index.streams.get(id);
          if (!stream) throw streamGone(id);
          const { seq, owner } = stream;
          const { blobs } = batch.index;
          const key = blobKey(stream, name);
          if (blobs.of(id).has(key)) return false;
          if (most !== undefined) expectRoom(owner, blobs.used(owner), blob.size, most);
          const about = { key, size: blob.size, seq };
          const object = JSON.stringify({ ...about, chunks });
          place(folderOf(stream), partial, name, object);
          const note = hashObject(object);
          batch.changeBlob({ stored: { id, blob: { ...about, note } } });
          return true;
        });
        return { ...blob, added };
      } finally {
        closeSync(file);
        rmSync(partial, { force: true });
      }
    },

    async get(id, digest, coding = AS_THEY_ARE) {
      if (!DIGEST.test(digest)) return undefined;
      const name = coding.nameOf(digest);
      const held = () => {
        const index = look();
        const stream = index.streams.get(id);
        const blob = stream && index.blobs.of(id).get(blobKey(stream, name));
        return blob && { folder: folderOf(stream), blob };
      };
      /** Another process may remove the blob while its files are read. */
      const unlessRemoved = <T>(read: () => T): T | undefined => {
        try {
          return read();
        } catch (error) {
          if (held()) throw error;
          return undefined;
        }
      };
      const found = held();
      const note = found && unlessRemoved(() => readNote(found.folder, name, found.blob, id));
      if (!found || !note) return undefined;
      const stored = function* () {
        const chunks = readChunks(found.folder, name, note, id);
        for (;;) {
          const step = unlessRemoved(() => chunks.next());
          if (!step) throw blobRemoved(digest);
          if (step.done) return;
          yield step.value;
        }
      };
      return { digest, size: note.size, bytes: () => decodeChunks(digest, stored(), coding) };
    },

    async drop(id, digest, coding = AS_THEY_ARE) {
      if (!DIGEST.test(digest)) return;
      await write((batch) => {
        const stream = batch.index.streams.get(id);
        if (!stream) return;
        const name = coding.nameOf(digest);
        const key = blobKey(stream, name);
        if (!batch.index.blobs.of(id).has(key)) return;
        batch.changeBlob({ dropped: { id, key } });
        removeBlob(folderOf(stream), name);
      });
    },

    used: async (owner) => look().blobs.used(owner),
  };
}

/** Copies or links the blobs that a fork shares with its parent. */
export function linkBlobs(
  from: StreamFolder,
  parent: IndexedStream,
  to: StreamFolder,
  shared: readonly CommittedBlob[],
): void {
  if (shared.length === 0) return;
  makeFolder(to.blobs);
  const names = namesByKey(from, parent);
  for (const { key } of shared) {
    const name = names.get(key);
    if (name === undefined) throw damaged(parent.id, "a file that it holds is missing");
    share(join(from.blobs, name), join(to.blobs, name));
    share(notePath(from.blobs, name), notePath(to.blobs, name));
  }
  syncFolder(to.blobs);
}

function removeBlob({ blobs }: StreamFolder, name: string): void {
  rmSync(notePath(blobs, name), { force: true });
  rmSync(join(blobs, name), { force: true });
  if (existsSync(blobs)) syncFolder(blobs);
}

/** The names of all blobs that have files, committed or not, by their keys. */
export function namesByKey({ blobs }: StreamFolder, stream: IndexedStream): Map<string, string> {
  if (!existsSync(blobs)) return new Map();
  const names = readdirSync(blobs).map((name) => name.replace(/\.json$/, ""));
  return new Map(names.map((name) => [blobKey(stream, name), name]));
}

export function blobKey({ salt }: IndexedStream, name: string): string {
  return hash("sha256", `${salt} ${name}`, "hex");
}

/** Throws `damaged` unless the note is the one that was committed. */
export function readNote(
  { blobs }: StreamFolder,
  name: string,
  blob: CommittedBlob,
  id: string,
): BlobNote {
  const text = readFile(notePath(blobs, name))?.toString("utf8");
  if (text === undefined) throw damaged(id, `the note about the file ${name} is missing`);
  const object = openLine(text.trimEnd());
  if (object === null || hashObject(object) !== blob.note) {
    throw damaged(id, `the note about the file ${name} was changed`);
  }
  return JSON.parse(object);
}

/** The bytes as they are stored, each chunk checked. */
export function* readChunks(
  { blobs }: StreamFolder,
  name: string,
  note: BlobNote,
  id: string,
): Generator<Uint8Array> {
  const path = join(blobs, name);
  const file = openCommitted(path, id);
  try {
    let at = 0;
    for (const { bytes, sum } of note.chunks) {
      const chunk = readFrom(file, path, at, at + bytes, id);
      if (sumOf(chunk) !== sum) throw damaged(id, `the file ${name} is damaged`);
      at += bytes;
      yield chunk;
    }
  } finally {
    closeSync(file);
  }
}

/** Puts the bytes and their note into the folder of the stream. Files that a killed process left there are replaced. */
function place({ folder, blobs }: StreamFolder, partial: string, name: string, note: string): void {
  makeFolder(blobs);
  renameSync(partial, join(blobs, name));
  replaceFile(notePath(blobs, name), `${sealLine(note)}\n`);
  syncFolder(folder);
}

/** A link where the disk has them: two streams then share the bytes. */
function share(from: string, to: string): void {
  rmSync(to, { force: true });
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to, constants.COPYFILE_FICLONE);
  }
}

function notePath(blobs: string, name: string): string {
  return join(blobs, `${name}${NOTE}`);
}

function sumOf(bytes: Uint8Array): string {
  return hash("sha256", bytes, "hex");
}

const DIGEST = /^[0-9a-f]{64}$/;
const NOTE = ".json";
