import { constants } from "node:fs";
import { basename, dirname } from "node:path";
import { DiskFile } from "./disk-file.ts";

/** What `stat` says; the thread makes methods of it. */
export interface DiskStat {
  readonly ino: number;
  readonly isFolder: boolean;
  readonly size: number;
  readonly mode: number;
  readonly nlink: number;
  readonly mtimeMs: number;
}

interface Folder {
  names: Map<string, Node>;
  /** The names as of the last sync, and the changes since. */
  synced: Map<string, Node>;
  changes: (readonly (readonly [string, Node | null])[])[];
}

interface Node {
  readonly ino: number;
  readonly file: DiskFile | null;
  readonly folder: Folder | null;
  mode: number;
  nlink: number;
  mtimeMs: number;
}

interface Handle {
  readonly pid: number;
  readonly path: string;
  readonly node: Node;
  readonly isAppending: boolean;
  at: number;
}

/** An error of the file system. */
export class DiskError extends Error {
  readonly code: string;

  constructor(code: string, path: string) {
    super(`${code}: ${path}`);
    this.code = code;
  }
}

/** One disk below `/`. Names survive a power cut only if their own folder was synced: the strictest file system. */
export class Disk {
  #root: Node;
  #inodes = 1;
  #descriptors = 2;
  readonly #handles = new Map<number, Handle>();
  /** True for files and folders whose syncs do nothing. */
  isUnsynced: (path: string, isFolder: boolean) => boolean = () => false;
  /** Who calls, and when. */
  pid = 0;
  now = 0;

  constructor() {
    this.#root = this.#newNode("folder", 0o700);
  }

  open(path: string, flags: number, mode: number): number {
    const { O_CREAT, O_EXCL, O_TRUNC, O_APPEND, O_DIRECTORY } = constants;
    let node = this.#find(path);
    if (node && (flags & O_EXCL) !== 0) throw new DiskError("EEXIST", path);
    if (!node) {
      if ((flags & O_CREAT) === 0) throw new DiskError("ENOENT", path);
      node = this.#newNode("file", mode);
      this.#link(path, node);
    }
    if ((flags & O_DIRECTORY) !== 0 && !node.folder) throw new DiskError("ENOTDIR", path);
    if ((flags & O_TRUNC) !== 0) node.file?.resize(0);
    this.#descriptors += 1;
    const isAppending = (flags & O_APPEND) !== 0;
    this.#handles.set(this.#descriptors, { pid: this.pid, path, node, isAppending, at: 0 });
    return this.#descriptors;
  }

  close(descriptor: number): void {
    this.#handle(descriptor);
    this.#handles.delete(descriptor);
  }

  closeAll(pid: number): void {
    for (const [descriptor, handle] of this.#handles) {
      if (handle.pid === pid) this.#handles.delete(descriptor);
    }
  }

  read(descriptor: number, count: number, position: number | null): Buffer {
    const handle = this.#handle(descriptor);
    const from = position ?? handle.at;
    const bytes = this.#fileOf(handle.node).read(from, from + count);
    if (position === null) handle.at += bytes.length;
    return bytes;
  }

  write(descriptor: number, bytes: Buffer, position: number | null): number {
    const handle = this.#handle(descriptor);
    const file = this.#fileOf(handle.node);
    const at = handle.isAppending ? file.size : (position ?? handle.at);
    file.write(at, bytes);
    if (position === null) handle.at = at + bytes.length;
    handle.node.mtimeMs = this.now;
    return bytes.length;
  }

  resize(target: number | string, size: number): void {
    const node = typeof target === "number" ? this.#handle(target).node : this.#expect(target);
    this.#fileOf(node).resize(size);
    node.mtimeMs = this.now;
  }

  sync(descriptor: number): void {
    const { path, node } = this.#handle(descriptor);
    const { file, folder } = node;
    if (this.isUnsynced(path, folder !== null)) return;
    file?.sync();
    if (!folder) return;
    folder.synced = new Map(folder.names);
    folder.changes = [];
  }

  stat(target: number | string): DiskStat | null {
    const node = typeof target === "number" ? this.#handle(target).node : this.#find(target);
    if (!node) return null;
    const { ino, mode, nlink, mtimeMs, file, folder } = node;
    return { ino, isFolder: folder !== null, size: file?.size ?? 0, mode, nlink, mtimeMs };
  }

  chmod(target: number | string, mode: number): void {
    const node = typeof target === "number" ? this.#handle(target).node : this.#expect(target);
    node.mode = mode;
  }

  touch(path: string): void {
    this.#expect(path).mtimeMs = this.now;
  }

  mkdir(path: string, mode: number): void {
    if (this.#find(path)) throw new DiskError("EEXIST", path);
    this.#link(path, this.#newNode("folder", mode));
  }

  names(path: string): string[] {
    return [...this.#folderOf(this.#expect(path), path).names.keys()].sort();
  }

  link(from: string, to: string): void {
    if (this.#find(to)) throw new DiskError("EEXIST", to);
    this.#link(to, this.#expect(from));
  }

  unlink(path: string): void {
    const node = this.#expect(path);
    if (node.folder && node.folder.names.size > 0) throw new DiskError("ENOTEMPTY", path);
    node.nlink -= 1;
    this.#change(path, [[basename(path), null]]);
  }

  rename(from: string, to: string): void {
    const node = this.#expect(from);
    const replaced = this.#find(to);
    if (replaced?.folder && replaced.folder.names.size > 0) throw new DiskError("ENOTEMPTY", to);
    if (replaced) replaced.nlink -= 1;
    const [gone, named] = [[basename(from), null] as const, [basename(to), node] as const];
    if (dirname(from) === dirname(to)) {
      this.#change(to, [gone, named]);
      return;
    }
    this.#change(to, [named]);
    this.#change(from, [gone]);
  }

  /** The whole file at once, for faults. Null if there is none. */
  contents(path: string): Buffer | null {
    const file = this.#find(path)?.file;
    return file ? Buffer.from(file.read(0, file.size)) : null;
  }

  /** What another program does: it replaces a file or its contents. */
  place(path: string, bytes: Buffer, isNew: boolean): void {
    if (isNew && this.#find(path)) this.unlink(path);
    if (!this.#find(path)) this.#link(path, this.#newNode("file", 0o600));
    const file = this.#fileOf(this.#expect(path));
    file.resize(0);
    file.write(0, bytes);
    file.sync();
  }

  /** The paths of all files. */
  *files(node = this.#root, path = ""): Generator<string> {
    for (const [name, inner] of node.folder?.names ?? []) {
      if (inner.folder) yield* this.files(inner, `${path}/${name}`);
      else yield `${path}/${name}`;
    }
  }

  cut(random: (bound: number) => number): void {
    this.#handles.clear();
    const survivors = new Map<Node, Node>();
    this.#root = this.#survive(this.#root, survivors, random);
  }

  #survive(node: Node, survivors: Map<Node, Node>, random: (bound: number) => number): Node {
    const known = survivors.get(node);
    if (known) return known;
    const { ino, mode, mtimeMs } = node;
    const left: Node = {
      ...{ ino, mode, mtimeMs, nlink: 0 },
      file: node.file?.cut(random) ?? null,
      folder: node.folder && { names: new Map(), synced: new Map(), changes: [] },
    };
    survivors.set(node, left);
    if (!node.folder || !left.folder) return left;
    const { synced, changes } = node.folder;
    const names = new Map(synced);
    for (const change of changes.slice(0, random(changes.length + 1))) apply(names, change);
    for (const [name, inner] of names) {
      const kept = this.#survive(inner, survivors, random);
      kept.nlink += 1;
      left.folder.names.set(name, kept);
    }
    left.folder.synced = new Map(left.folder.names);
    return left;
  }

  #find(path: string): Node | undefined {
    let node: Node | undefined = this.#root;
    for (const name of path.split("/")) {
      if (name === "" || !node) continue;
      if (!node.folder) throw new DiskError("ENOTDIR", path);
      node = node.folder.names.get(name);
    }
    return node;
  }

  #expect(path: string): Node {
    const node = this.#find(path);
    if (node) return node;
    throw new DiskError("ENOENT", path);
  }

  #handle(descriptor: number): Handle {
    const handle = this.#handles.get(descriptor);
    if (handle) return handle;
    throw new DiskError("EBADF", `${descriptor}`);
  }

  #fileOf({ file }: Node): DiskFile {
    if (file) return file;
    throw new DiskError("EISDIR", "a folder");
  }

  #folderOf({ folder }: Node, path: string): Folder {
    if (folder) return folder;
    throw new DiskError("ENOTDIR", path);
  }

  #newNode(kind: "file" | "folder", mode: number): Node {
    this.#inodes += 1;
    const isFile = kind === "file";
    return {
      ...{ ino: this.#inodes, mode, nlink: 0, mtimeMs: this.now },
      file: isFile ? new DiskFile() : null,
      folder: isFile ? null : { names: new Map(), synced: new Map(), changes: [] },
    };
  }

  #link(path: string, node: Node): void {
    this.#change(path, [[basename(path), node]]);
    node.nlink += 1;
  }

  #change(path: string, change: readonly (readonly [string, Node | null])[]): void {
    const folder = this.#folderOf(this.#expect(dirname(path)), path);
    folder.changes.push(change);
    apply(folder.names, change);
  }
}

function apply(
  names: Map<string, Node>,
  change: readonly (readonly [string, Node | null])[],
): void {
  for (const [name, node] of change) {
    if (node) names.set(name, node);
    else names.delete(name);
  }
}
