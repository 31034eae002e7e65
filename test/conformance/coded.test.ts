import { readFileSync } from "node:fs";
import { join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { openStore } from "../../src/compose-store.ts";
import { LIMITS } from "../../src/contract/limits.ts";
import { freePassingBytes } from "../../src/store/blobs/free-passing-bytes.ts";
import { codedStore } from "../../src/store/codec/coded-store.ts";
import type { ContentPlace } from "../../src/store/codec/content-codec.ts";
import { zstdCodec } from "../../src/store/codec/zstd-codec.ts";
import {
  begin,
  blindly,
  idOf,
  keep,
  newNotebook,
  rowOf,
} from "../../src/store/conformance/notebook.ts";
import { describeStoreConformance } from "../../src/store/conformance/store-conformance.ts";
import { acquireLease } from "../../src/store/leases.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { readEvents, readParts, readRows } from "../../src/store/read-streams.ts";
import { openSqliteStore } from "../../src/store/sqlite/open-sqlite-store.ts";
import type { StreamStore } from "../../src/store/stream-store.ts";
import { temporaryFolder } from "../crash/temporary-folder.ts";
import { openSharedMemory } from "./open-shared-memory.ts";

describeStoreConformance({
  name: "memory, compressed",
  durable: false,
  // Compresses everything that gets smaller, so that the short texts of the suite do too.
  open: (place) => codedStore(openSharedMemory(place), zstdCodec(0)),
  reference: openMemoryStore,
});

const A = idOf(1);
const TEXT = "The quick brown fox jumps over the lazy dog. ".repeat(2000);

describe("a compressed store", () => {
  it("stores a large body in a fraction of its bytes, and returns it unchanged", async () => {
    const folder = temporaryFolder();
    const store = await openStore({ home: folder, onNotice: () => {} });
    await keep(store, begin(A, { lines: [TEXT, "small"] }));
    const events = await readEvents(store, A, { after: 0, limit: 9 });
    expect(events.map(({ data }) => data)).toEqual([{ text: TEXT }, { text: "small" }]);
    const wal = readFileSync(join(folder, "belay.db-wal"), "latin1");
    expect(wal).toContain("small");
    expect(wal).not.toContain("lazy dog. The quick");
    await store.close();
  });

  it("reads events without checking whether the holder of the lease lives", async () => {
    let checks = 0;
    const isAlive = () => {
      checks += 1;
      return true;
    };
    const sqlite = await openSqliteStore({ folder: temporaryFolder(), isAlive });
    const store = codedStore(sqlite, zstdCodec());
    await keep(store, begin(A, { lines: ["one", "two"] }));
    const holder = { name: "driver", pid: 1, start_time: null, boot_id: null };
    await acquireLease(store, A, holder);
    checks = 0;
    expect(await readEvents(store, A, { after: 0, limit: 9 })).toHaveLength(2);
    const [part] = await readParts(store, [{ ref: { id: A }, events: [{ after: 0, limit: 9 }] }]);
    expect(checks).toBe(0);
    expect(part?.stream.lease).toMatchObject({ live: true });
    expect(checks).toBe(1);
    await store.close();
  });

  it("decompresses no more than one content beyond the bytes of a page", async () => {
    const zstd = zstdCodec();
    let decoded = 0;
    const decode = (stored: unknown, place: ContentPlace) => {
      const content = zstd.decode(stored, place);
      if (content) decoded += 1;
      return content;
    };
    const store = codedStore(openMemoryStore(), { ...zstd, decode });
    const lines = Array.from({ length: 50 }, () => TEXT);
    const rows = lines.map((text, n) => rowOf(n + 1, n + 1, { text }));
    await keep(store, begin(A, { lines, rows }));
    const bytes = 3.5 * TEXT.length;
    const counted = async (read: () => Promise<readonly unknown[]>) => {
      decoded = 0;
      return [(await read()).length, decoded];
    };
    const page = { limit: 50, bytes };
    expect(await counted(() => readEvents(store, A, { after: 0, ...page }))).toEqual([3, 4]);
    expect(await counted(() => readEvents(store, A, { before: 51, ...page }))).toEqual([3, 4]);
    expect(await counted(() => readRows(store, A, { kind: "item", bytes }))).toEqual([3, 4]);
    const feed = async () => (await store.readFeed({ after: "", ...page })).events;
    // Those that fit are read again, because only the store knows the cursor after them.
    expect(await counted(feed)).toEqual([3, 7]);
  });

  it("leaves no event out of the feed if others are purged while a page is read", async () => {
    const inner = openMemoryStore();
    let reads = 0;
    const purging: StreamStore = {
      ...inner,
      async readFeed(query) {
        reads += 1;
        if (reads === 2) await inner.purge(A, 1);
        return inner.readFeed(query);
      },
    };
    const store = codedStore(purging, zstdCodec());
    await keep(store, begin(A, { lines: [TEXT, TEXT, TEXT] }));
    await keep(store, begin(idOf(2), { lines: Array(4).fill(TEXT.repeat(3)) }));
    const seqs: number[] = [];
    for (let after = ""; ; ) {
      const page = await store.readFeed({ after, limit: 9, bytes: 3.5 * TEXT.length });
      if (page.events.length === 0) break;
      seqs.push(...page.events.map(({ seq }) => seq));
      after = page.cursor;
    }
    expect(seqs).toEqual([1, 2, 3, 4]);
  });

  it("does not compress heads, or content that would not get smaller", () => {
    const codec = zstdCodec();
    const place = { writer: A, seq: 1 };
    const noise = Buffer.from(crypto.getRandomValues(new Uint8Array(9000))).toString("base64");
    const packed = { text: TEXT };
    expect(codec.encode({ text: "small" }, { ...place, part: "body" })).toEqual({ text: "small" });
    expect(codec.encode(packed, { ...place, part: "head" })).toBe(packed);
    expect(codec.encode(packed, { ...place, part: "patch" })).toBeInstanceOf(Uint8Array);
    const kept = codec.encode({ noise }, { ...place, part: "body" });
    expect(kept instanceof Uint8Array ? kept.length : 9000 * 2).toBeGreaterThan(9000);
  });

  it("leaves no text behind that only a full collection frees", () => {
    const codec = zstdCodec();
    const place = { writer: A, seq: 1, part: "body" } as const;
    // The pieces are cut inside of characters.
    const body = { text: "aé€😀".repeat(120_000) };
    const stored = codec.encode(body, place);
    expect(codec.decode(stored, place)?.value).toEqual(body);
    const ascii = codec.encode({ text: "a".repeat(1_100_000) }, place);
    const outside = () => process.memoryUsage().external - process.memoryUsage().arrayBuffers;
    freePassingBytes();
    const before = outside();
    let most = 0;
    for (let n = 0; n < 40; n += 1) {
      codec.decode(ascii, place);
      freePassingBytes();
      most = Math.max(most, outside() - before);
    }
    expect(most).toBeLessThan(6_000_000);
  });

  it("refuses a body that exceeds the limit before compression", async () => {
    const store = codedStore(openMemoryStore(), zstdCodec());
    const append = newNotebook(A, { lines: ["a".repeat(LIMITS.BODY_BYTES)] });
    expect(await store.transact(blindly(append))).toMatchObject({
      refusal: { error: "too_large" },
    });
  });

  it("limits a page by its decompressed size, so that a small file cannot fill the memory", async () => {
    const store = codedStore(openMemoryStore(), zstdCodec());
    await keep(store, begin(A, { lines: Array.from({ length: 30 }, () => "a".repeat(1_000_000)) }));
    const bytes = LIMITS.PAGE_BYTES;
    const forwards = await readEvents(store, A, { after: 0, limit: 1000, bytes });
    const backwards = await readEvents(store, A, { before: 99, limit: 1000, bytes });
    const feed = await store.readFeed({ after: "", limit: 1000, bytes });
    expect([forwards, backwards, feed.events].map(({ length }) => length)).toEqual([2, 2, 2]);
    expect(backwards.map(({ seq }) => seq)).toEqual([29, 30]);
    const next = await store.readFeed({ after: feed.cursor, limit: 1000, bytes });
    expect(next.events[0]?.seq).toBe(3);
    const reads = Array.from({ length: 9 }, () => ({
      ref: { id: A },
      events: [{ after: 0, limit: 1 }],
    }));
    expect(await store.read(reads, bytes)).toHaveLength(3);
  });

  it("never decompresses more than the limit of a body, and refuses damaged data", () => {
    const codec = zstdCodec();
    const place = { writer: A, seq: 1, part: "body" } as const;
    const mark = codec.encode({ text: TEXT }, place);
    if (!(mark instanceof Uint8Array)) throw new Error("it was not compressed");
    const bomb = zstdCompressSync(Buffer.from(JSON.stringify("a".repeat(60_000_000))));
    expect(bomb.length).toBeLessThan(100_000);
    const memory = process.memoryUsage().rss;
    for (const packed of [bomb, bomb.subarray(0, 99), Buffer.from("no zstd")]) {
      const stored = Buffer.concat([mark.subarray(0, 4), packed]);
      expect(() => codec.decode(stored, place)).toThrow(/cannot be decompressed/);
    }
    expect(process.memoryUsage().rss - memory).toBeLessThan(64 * 1024 * 1024);
    expect(() => codec.decode(Uint8Array.of(...mark.subarray(0, 3), 99, 1), place)).toThrow(
      /newer/,
    );
  });

  it("returns bytes unchanged that look compressed", async () => {
    const store = codedStore(openMemoryStore(), zstdCodec());
    const given = zstdCodec().encode({ text: TEXT }, { writer: A, seq: 1, part: "body" });
    if (!(given instanceof Uint8Array)) throw new Error("the text was not compressed");
    // A store returns a plain array of bytes, also for a Buffer.
    const bytes = Uint8Array.from(given);
    const append = newNotebook(A);
    const events = append.events.map((event) => ({ ...event, data: given }));
    await keep(store, blindly({ ...append, events, head: given }));
    expect((await readEvents(store, A, { after: 0, limit: 1 }))[0]?.data).toEqual(bytes);
    expect((await store.read([{ ref: { id: A } }]))[0]?.stream.head).toEqual(bytes);
  });
});
