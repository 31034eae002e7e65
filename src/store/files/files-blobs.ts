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
import { createFile, openFile } from "../../files/open-file.ts";
import { readFile } from "../../files/read-file.ts";
import { replaceFile } from "../../files/replace-file.ts";
import { syncFolder } from "../../files/sync-folder.ts";
import { AS_THEY_ARE, type BlobStore } from "../blob-store.ts";
import { cutChunks } from "../blobs/cut-chunks.ts";
import { decodeChunks } from "../blobs/decode-chunks.ts";
import { expectRoom } from "../expect-room.ts";
import { streamGone } from "../stream-gone.ts";
import { damaged } from "./disk/files-error.ts";
import { type FilesFolder, type StreamFolder, streamFolder } from "./disk/files-folder.ts";
import { readFrom, writeAll } from "./disk/line-file.ts";
import { openLine, sealLine } from "./disk/sealed-line.ts";
import type { IndexedStream } from "./read/stream-index.ts";
import type { WriteBatch } from "./write/write-batch.ts";

interface BlobAccess {
  readonly files: FilesFolder;
  find(id: string): IndexedStream | undefined;
  write<T>(run: (batch: WriteBatch) => T): Promise<T>;
}

/** The file beside the bytes of a blob. A blob exists once this file does. */
interface BlobNote {
  readonly size: number;
  /** The event of the stream after which it was stored. */
  readonly seq: number;
  /** The stream that put it, and its owner, for whom it counts. Older notes name neither. */
  readonly writer?: string;
  readonly owner?: string;
  readonly chunks: readonly { readonly bytes: number; readonly sum: string }[];
}

/** Each blob is a file in the folder of its stream, so equal bytes are stored once for each stream. */
export function filesBlobs({ files, find, write }: BlobAccess): BlobStore {
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
        const added = await write(({ index }) => {
          const stream = index.streams.get(id);
          if (!stream) throw streamGone(id);
          const { seq, owner } = stream;
          const note = { size: blob.size, seq, writer: id, owner, chunks };
          const isHeld = existsSync(notePath(folderOf(stream).blobs, name));
          if (!isHeld && most !== undefined) {
            expectRoom(stream.owner, usedBy(index.streams.values(), stream.owner), blob.size, most);
          }
          return place(folderOf(stream), partial, name, note);
        });
        return { ...blob, added };
      } finally {
        closeSync(file);
        rmSync(partial, { force: true });
      }
    },

    async get(id, digest, coding = AS_THEY_ARE) {
      if (!DIGEST.test(digest)) return undefined;
      const stream = find(id);
      if (!stream) return undefined;
      const folder = folderOf(stream);
      const name = coding.nameOf(digest);
      const note = readNote(folder, name, id);
      if (!note) return undefined;
      const chunks = () => readChunks(folder, name, note, id);
      return { digest, size: note.size, bytes: () => decodeChunks(digest, chunks(), coding) };
    },

    async drop(id, digest, coding = AS_THEY_ARE) {
      if (!DIGEST.test(digest)) return;
      await write(({ index }) => {
        const stream = index.streams.get(id);
        if (!stream) return;
        const { blobs } = folderOf(stream);
        const name = coding.nameOf(digest);
        rmSync(notePath(blobs, name), { force: true });
        rmSync(join(blobs, name), { force: true });
        if (existsSync(blobs)) syncFolder(blobs);
      });
    },

    used: (owner) => write(({ index }) => usedBy(index.streams.values(), owner)),
  };

  function usedBy(streams: Iterable<IndexedStream>, owner: string): number {
    // A blob that forks share counts once.
    const sizes = new Map<string, number>();
    for (const stream of streams) {
      const folder = folderOf(stream);
      for (const name of blobNames(folder)) {
        const note = readNote(folder, name, stream.id);
        if (!note || (note.owner ?? stream.owner) !== owner) continue;
        sizes.set(`${note.writer ?? stream.id} ${name}`, note.size);
      }
    }
    return [...sizes.values()].reduce((sum, size) => sum + size, 0);
  }
}

/** A fork shares the blobs that were stored before the event after which it was cut. */
export function linkBlobs(from: StreamFolder, to: StreamFolder, seq: number): void {
  const shared = blobNames(from).filter((name) => {
    const note = readNote(from, name, null);
    return note !== null && note.seq < seq;
  });
  if (shared.length === 0) return;
  makeFolder(to.blobs);
  for (const name of shared) {
    share(join(from.blobs, name), join(to.blobs, name));
    share(notePath(from.blobs, name), notePath(to.blobs, name));
  }
  syncFolder(to.blobs);
}

export function blobNames({ blobs }: StreamFolder): string[] {
  if (!existsSync(blobs)) return [];
  return readdirSync(blobs).flatMap((name) =>
    name.endsWith(NOTE) ? name.slice(0, -NOTE.length) : [],
  );
}

/** Null if the stream has no such blob. */
export function readNote(
  { blobs }: StreamFolder,
  name: string,
  id: string | null,
): BlobNote | null {
  const text = readFile(notePath(blobs, name))?.toString("utf8");
  if (text === undefined) return null;
  const object = openLine(text.trimEnd());
  if (object === null) throw damaged(id, `the note about the file ${name} was changed`);
  return JSON.parse(object);
}

/** The bytes as they are stored, each chunk checked. */
export function* readChunks(
  { blobs }: StreamFolder,
  name: string,
  note: BlobNote,
  id: string | null,
): Generator<Uint8Array> {
  const path = join(blobs, name);
  const file = openFile(path, constants.O_RDONLY);
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

/** False if the stream already holds it. */
function place({ blobs }: StreamFolder, partial: string, name: string, note: BlobNote): boolean {
  if (existsSync(notePath(blobs, name))) return false;
  makeFolder(blobs);
  renameSync(partial, join(blobs, name));
  replaceFile(notePath(blobs, name), `${sealLine(JSON.stringify(note))}\n`);
  return true;
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
