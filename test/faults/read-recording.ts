import { readFileSync } from "node:fs";

/** A change of a file, a name in a folder, or the start or end of a sync. Files and folders are named by their inodes. */
export type Note =
  | { readonly kind: "write"; readonly inode: number; readonly at: number; readonly bytes: Buffer }
  | { readonly kind: "size"; readonly inode: number; readonly size: number }
  | { readonly kind: "sync" | "synced"; readonly inode: number; readonly token: number }
  | NameNote;

export type NameNote =
  | {
      readonly kind: "file" | "folder" | "link" | "remove";
      readonly folder: number;
      readonly name: string;
      readonly inode: number;
    }
  | {
      readonly kind: "rename";
      readonly folder: number;
      readonly name: string;
      readonly to: number;
      readonly newName: string;
    };

/** The notes of recorder.c, in order. */
export function readRecording(path: string): Note[] {
  const all = readFileSync(path);
  const notes: Note[] = [];
  for (let at = 0; at < all.length; ) {
    const kind = String.fromCharCode(all.readUInt32LE(at));
    const size = all.readUInt32LE(at + 4);
    const [a, b] = [Number(all.readBigUInt64LE(at + 8)), Number(all.readBigUInt64LE(at + 16))];
    notes.push(toNote(kind, a, b, all.subarray(at + HEAD, at + HEAD + size)));
    at += HEAD + size;
  }
  return notes;
}

const HEAD = 24;
const NAMES = { C: "file", D: "folder", L: "link", U: "remove" } as const;

function toNote(kind: string, a: number, b: number, bytes: Buffer): Note {
  switch (kind) {
    case "W":
      return { kind: "write", inode: a, at: b, bytes };
    case "T":
      return { kind: "size", inode: a, size: b };
    case "S":
      return { kind: "sync", inode: a, token: b };
    case "E":
      return { kind: "synced", inode: a, token: b };
    case "R": {
      const [name = "", newName = ""] = bytes.toString().split("/");
      return { kind: "rename", folder: a, name, to: b, newName };
    }
    case "C":
    case "D":
    case "L":
    case "U":
      return { kind: NAMES[kind], folder: a, name: bytes.toString(), inode: b };
    default:
      throw new Error(`the recording has a note of unknown kind ${kind}`);
  }
}
