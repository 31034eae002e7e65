type Write = { readonly at: number; readonly bytes: Buffer } | { readonly size: number };

const PAGE = 4096;
const SECTOR = 512;

/** Bytes that were written, and those of them that a power cut cannot take. */
export class DiskFile {
  #bytes: Buffer = Buffer.alloc(0);
  #synced: Buffer = Buffer.alloc(0);
  #writes: Write[] = [];

  get size(): number {
    return this.#bytes.length;
  }

  get hasUnsynced(): boolean {
    return this.#writes.length > 0;
  }

  read(from: number, to: number): Buffer {
    return this.#bytes.subarray(from, Math.max(from, to));
  }

  write(at: number, bytes: Buffer): void {
    this.#change({ at, bytes: Buffer.from(bytes) });
  }

  resize(size: number): void {
    this.#change({ size });
  }

  sync(): void {
    this.#synced = this.#bytes;
    this.#writes = [];
  }

  /** What a disk has after a power cut: each page at another moment since the last sync, some torn between sectors. */
  cut(random: (bound: number) => number): DiskFile {
    const left = new DiskFile();
    left.#bytes = this.#survive(random);
    left.sync();
    return left;
  }

  #survive(random: (bound: number) => number): Buffer {
    const moments = [this.#synced];
    for (const write of this.#writes) moments.push(changed(moments.at(-1) ?? this.#synced, write));
    const any = () => moments[random(moments.length)] ?? this.#synced;
    const how = random(4);
    if (how === 0) return this.#synced;
    if (how === 1) return any();
    const disk = Buffer.alloc(any().length);
    for (let page = 0; page < disk.length; page += PAGE) {
      const end = Math.min(page + PAGE, disk.length);
      any().copy(disk, page, page, end);
      if (random(3) > 0) continue;
      const tear = page + SECTOR * (1 + random(PAGE / SECTOR - 1));
      if (tear < end) {
        disk.fill(0, tear, end);
        any().copy(disk, tear, tear, end);
      }
    }
    return disk;
  }

  #change(write: Write): void {
    this.#writes.push(write);
    this.#bytes = changed(this.#bytes, write);
  }
}

/** A new buffer: earlier moments keep theirs. */
function changed(before: Buffer, write: Write): Buffer {
  if ("size" in write) {
    const resized = Buffer.alloc(write.size);
    before.copy(resized);
    return resized;
  }
  const { at, bytes } = write;
  const after = Buffer.alloc(Math.max(before.length, at + bytes.length));
  before.copy(after);
  bytes.copy(after, at);
  return after;
}
