import { type Fault, onBlobBytes, onBlobs, withoutLast } from "./break-store.ts";

/** Faults in the blobs of a store. */
export const blobFaults = {
  "ignores the quota of an owner": onBlobs((blobs) => ({
    ...blobs,
    put: (id, source, coding) => blobs.put(id, source, coding),
  })),
  "counts a blob again for each fork": onBlobs((blobs, store) => ({
    ...blobs,
    async used(owner) {
      const { streams } = await store.list({ kind: "session", owner, filter: {}, limit: 9 });
      return (await blobs.used(owner)) * streams.length;
    },
  })),
  "replaces the damaged end of a blob with zeros": onBlobBytes(async function* (bytes, size) {
    let returned = 0;
    try {
      for await (const chunk of bytes()) {
        returned += chunk.length;
        yield chunk;
      }
    } catch {
      yield new Uint8Array(size - returned);
    }
  }),
  "ends a damaged blob early, without an error": onBlobBytes(async function* (bytes) {
    try {
      yield* bytes();
    } catch {}
  }),
  "loses the last byte of a blob": onBlobs((blobs) => ({
    ...blobs,
    put: (id, source) => blobs.put(id, withoutLast(source)),
  })),

  "shows the blobs of every stream to all streams": (store) => {
    const holders = new Set<string>();
    return onBlobs((blobs) => ({
      ...blobs,
      put(id, source) {
        holders.add(id);
        return blobs.put(id, source);
      },
      async get(id, digest) {
        const found = await Promise.all([id, ...holders].map((one) => blobs.get(one, digest)));
        return found.find((blob) => blob !== undefined);
      },
    }))(store);
  },

  "drops a blob from other streams too": onBlobs((blobs, store) => ({
    ...blobs,
    async drop(_, digest) {
      const { streams } = await store.list({ kind: "session", owner: null, filter: {}, limit: 9 });
      for (const { id } of streams) await blobs.drop(id, digest);
    },
  })),
} as const satisfies Readonly<Record<string, Fault>>;
